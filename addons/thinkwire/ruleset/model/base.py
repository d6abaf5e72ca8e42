"""What all mappings of a rule file have in common."""

from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError


class Mapping(BaseModel):
    """A mapping whose keys are all known."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @classmethod
    def key_names(cls) -> list[str]:
        """The keys as they are written in a file."""
        return [field.alias or name for name, field in cls.model_fields.items()]


class Filled(Mapping):
    """A mapping that must not be empty."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("empty", "empty")
        return self
