"""Every error this project raises on purpose.

::

    PageIndexError
    ├── InputError                  a file or text that cannot be indexed            exit code 3
    │   ├── SourceNotFoundError     nothing is there
    │   ├── EmptySourceError        there, with no bytes or no documents in it
    │   ├── UnsupportedFormatError  not a format we read, or not what its name says
    │   ├── DamagedFileError        the right format, broken beyond reading
    │   ├── NoPagesError            opens, and has no pages
    │   ├── PasswordRequiredError   a user password is needed, or the given one is wrong
    │   └── UnexpectedError         one document met a fault of ours                 exit code 1
    ├── OptionError                 an option or argument that cannot be meant       exit code 2
    │   ├── QuestionError           an empty question, a k below 1, a broken pattern
    │   └── FilterError             a metadata filter with an unknown operator or shape
    ├── TreeFormatError             JSON that is not a page tree                     exit code 3
    ├── LibraryError                the store itself                                 exit code 4
    │   ├── DocumentNotFoundError   no such document within the scope
    │   ├── SchemaVersionError      written by another version
    │   └── LibraryLockedError      another process keeps writing
    └── ModelError                  a language model gave no usable answer           exit code 5
        ├── ModelAccessError        key, permission or quota refused: never tried again
        ├── ModelUnavailableError   busy, failing or unreachable, after the retries
        ├── ModelTimeoutError       no answer in time
        ├── ModelRequestError       this very request is refused: too long, not allowed, malformed
        ├── ModelReplyError         an answer that breaks the contract
        └── BudgetExceededError     the limit of calls, tokens, cost or seconds is reached

Messages have three parts: what and where, why we stop, what to do next. The facts are attributes too.
Errors of PDFium, SQLite and the rest are translated where they occur and kept as ``__cause__``.
"""

from __future__ import annotations


class PageIndexError(Exception):
    """Base of all errors raised on purpose."""

    exit_code = 1
    """What the command line exits with."""

    def __init__(self, what: str, why: str = "", remedy: str = "") -> None:
        self.what = what
        self.why = why
        self.remedy = remedy
        super().__init__(" ".join(part for part in (what, why, remedy) if part))

    def __reduce__(self) -> tuple[type[PageIndexError], tuple[str, str, str]]:
        """Errors cross process borders: rebuild from the three parts."""
        return type(self), (self.what, self.why, self.remedy)


class InputError(PageIndexError):
    """A file or text that cannot be indexed."""

    exit_code = 3


class SourceNotFoundError(InputError, FileNotFoundError):
    """Nothing is there."""


class EmptySourceError(InputError, ValueError):
    """There, with no bytes or no documents in it."""


class UnsupportedFormatError(InputError, ValueError):
    """Not a format we read, or not what its name says."""


class DamagedFileError(InputError, ValueError):
    """The right format, broken beyond reading."""


class NoPagesError(InputError, ValueError):
    """Opens, and has no pages."""


class PasswordRequiredError(InputError, ValueError):
    """A user password is needed, or the given one is wrong."""


class UnexpectedError(InputError):
    """One document met a fault that nobody foresaw: ours or a parser's. The cause is kept as ``__cause__``."""

    exit_code = 1


class OptionError(PageIndexError, ValueError):
    """An option or argument that cannot be meant."""

    exit_code = 2


class QuestionError(OptionError):
    """An empty question, a k below 1, a broken pattern."""


class FilterError(OptionError):
    """A metadata filter with an unknown operator or shape."""


class TreeFormatError(PageIndexError, ValueError):
    """JSON that is not a page tree."""

    exit_code = 3


class LibraryError(PageIndexError):
    """The store itself."""

    exit_code = 4


class DocumentNotFoundError(LibraryError, KeyError):
    """No such document within the scope."""

    def __str__(self) -> str:
        """The message, not KeyError's quoted repr of it."""
        return PageIndexError.__str__(self)


class SchemaVersionError(LibraryError):
    """Written by another version."""


class LibraryLockedError(LibraryError):
    """Another process keeps writing."""


class ModelError(PageIndexError):
    """A language model gave no usable answer."""

    exit_code = 5


class ModelAccessError(ModelError):
    """Key, permission or quota refused: never tried again."""


class ModelUnavailableError(ModelError):
    """Busy, failing or unreachable, after the retries."""


class ModelTimeoutError(ModelError):
    """No answer in time."""


class ModelRequestError(ModelError):
    """This very request is refused: too long, not allowed, malformed. Another one may pass."""


class ModelReplyError(ModelError):
    """An answer that breaks the contract."""


class BudgetExceededError(ModelError):
    """The limit of calls, tokens, cost or seconds is reached."""

    was_begun: bool = False
    """Whether the call had begun, and was given up when the seconds were over; one that is refused is not made."""
