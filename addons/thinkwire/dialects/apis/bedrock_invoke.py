"""AWS Bedrock's InvokeModel: requests and answers are the model's own, only the path and the errors are AWS's.

No document belongs to this dialect: each is recognised and rewritten as one of the model's own API (docs/apis.md,
"Bedrock Invoke"). Its name is that of the request.
"""

from typing import Final

from thinkwire.dialects.apis.bedrock_converse import BEDROCK_CONVERSE, MODEL_PATH, aws_error, model_in_path
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape

_DOCUMENT: Final = open_shape({})

BEDROCK_INVOKE: Final = Dialect(
    name="bedrock-invoke",
    handling=Handling(
        strip="what the model's own API strips",
        rename="what the model's own API renames",
        sent_back="as the model's own API expects it; a signed request is never edited",
    ),
    matches_path=at_path(MODEL_PATH + r"invoke(?:-with-response-stream)?\Z"),
    model=model_in_path,
    wants_stream=lambda request: request.path.endswith("-stream"),
    table=lambda _request: _DOCUMENT,
    matches_document=lambda root: False,
    write=BEDROCK_CONVERSE.write,
    error=aws_error,
)
