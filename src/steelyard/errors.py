"""Every error that steelyard raises on purpose.

    SteelyardError                 steelyard
    ├── RequestError               invalid_request        the caller's question or state is wrong
    │   ├── TooManyOptionsError    too_many_options       more options or levels than allowed
    │   ├── TooLongError           max_tokens_exceeded    the text does not fit; nothing is ever cut
    │   └── BodyError              invalid_body           an HTTP body cannot be read
    │       ├── InvalidJsonError   invalid_json           it is not strict JSON
    │       ├── MediaTypeError     unsupported_media_type a type or an encoding that we do not read
    │       ├── BodyTooLargeError  body_too_large         more bytes than allowed
    │       └── SlowBodyError      slow_body              it did not arrive in time
    ├── ModelError                 model                  a model cannot be used
    │   ├── UnknownModelError      unknown_model          no model of that name, folder or file
    │   ├── ModelFileError         model_file             a file is missing, cut or corrupt
    │   ├── UnsupportedModelError  unsupported_model      an architecture or tokenizer we cannot run
    │   └── CapabilityError        unsupported_capability this runtime cannot do what was asked
    ├── ServiceError               service                a server cannot answer this call now
    │   ├── AuthenticationError    authentication_error   no API key, or an unknown one
    │   ├── OverloadedError        overloaded             the queue is full
    │   ├── RateLimitError         rate_limit_exceeded    a key has asked for more than it may
    │   ├── DeadlineError          timeout                no answer within the deadline
    │   └── UnavailableError       unavailable            the server takes nothing at present
    ├── DownloadError              download               a model could not be fetched or verified
    ├── MissingExtraError          missing_extra          an optional dependency is not installed
    ├── InputFileError             input_file             a file of the user's cannot be read
    ├── OutputError                output                 a result cannot be written
    ├── TooFewRowsError            too_few_rows           too little data for a fit or a guarantee
    ├── DivergedError              diverged               training has left the finite numbers
    └── ShapeError                 shape                  an array is not what a formula takes

`code` is stable: programs may match on it. `field` is the path of the offending value
(`questions.queue.criteria`), or None where there is no such path.
"""

from __future__ import annotations


class SteelyardError(Exception):
    """Base of all errors raised on purpose."""

    code = "steelyard"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message if field is None else f"{field}: {message}")
        self.message = message
        self.field = field


class RequestError(SteelyardError):
    """A question, state or option is not what the contract allows."""

    code = "invalid_request"

    def within(self, parent: str) -> RequestError:
        """The same error seen from an enclosing value: `criteria` becomes `parent.criteria`."""
        field = parent if self.field is None else f"{parent}.{self.field}"
        return type(self)(self.message, field=field)


class TooManyOptionsError(RequestError):
    """More options or levels than the kind allows."""

    code = "too_many_options"


class TooLongError(RequestError):
    """A prompt needs more tokens than the limit; the message carries both numbers."""

    code = "max_tokens_exceeded"


class BodyError(RequestError):
    """The body of an HTTP request cannot be read."""

    code = "invalid_body"


class InvalidJsonError(BodyError):
    """A body that is not strict JSON in UTF-8."""

    code = "invalid_json"


class MediaTypeError(BodyError):
    """A body of a type, or in an encoding, that is not read here."""

    code = "unsupported_media_type"


class BodyTooLargeError(BodyError):
    """A body of more bytes than allowed, as sent or once it is decompressed."""

    code = "body_too_large"


class SlowBodyError(BodyError):
    """A body that did not arrive within the time allowed."""

    code = "slow_body"


class ServiceError(SteelyardError):
    """A server cannot answer this call now, whatever it asks."""

    code = "service"


class AuthenticationError(ServiceError):
    """No API key, or one that is not known."""

    code = "authentication_error"


class OverloadedError(ServiceError):
    """More calls wait already than may wait; `retry_after_s` says when to come back."""

    code = "overloaded"

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RateLimitError(ServiceError):
    """A key has asked for more than it may a minute; `retry_after_s` says when to come back."""

    code = "rate_limit_exceeded"

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DeadlineError(ServiceError):
    """No answer within the time that a call may take."""

    code = "timeout"


class UnavailableError(ServiceError):
    """The server is starting or shutting down, or cannot record its decisions."""

    code = "unavailable"


class ModelError(SteelyardError):
    """A model cannot be used."""

    code = "model"


class UnknownModelError(ModelError):
    """No model of that name, folder or file."""

    code = "unknown_model"


class ModelFileError(ModelError):
    """A model file is missing, cut short or corrupt."""

    code = "model_file"


class UnsupportedModelError(ModelError):
    """An architecture, quantisation or tokenizer that cannot be run."""

    code = "unsupported_model"


class CapabilityError(ModelError):
    """The runtime at hand cannot do what was asked (exits, hidden states, option sets)."""

    code = "unsupported_capability"


class DownloadError(SteelyardError):
    """A model could not be fetched, or what came is not what was pinned."""

    code = "download"


class MissingExtraError(SteelyardError):
    """An optional dependency is not installed; the message names the extra."""

    code = "missing_extra"

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"this needs the package {package!r}; install it with: pip install 'steelyard[{extra}]'"
        )


class InputFileError(SteelyardError):
    """A file given by the user cannot be read or understood."""

    code = "input_file"


class OutputError(SteelyardError):
    """A result cannot be written, or would overwrite something."""

    code = "output"


class TooFewRowsError(SteelyardError):
    """Too few labelled rows for a fit or a guarantee: `what` it is, and how many are `needed`."""

    code = "too_few_rows"

    def __init__(self, what: str, *, rows: int, needed: int, field: str | None = None) -> None:
        super().__init__(f"{what}: {rows} rows; needed: {needed}", field=field)
        self.what = what
        self.rows = rows
        self.needed = needed


class DivergedError(SteelyardError):
    """Training has left the finite numbers: a learning rate too high, or weights that are not."""

    code = "diverged"


class ShapeError(SteelyardError):
    """An array given to a formula has the wrong shape, or values the formula is not defined for."""

    code = "shape"
