"""Asking a model for samples: any server of OpenAI's interface, one sample after the other into a file."""

from codejury.generate.asking import Asked, Asking, Request, most, plan
from codejury.generate.client import Client, Key, OpenAIClient, read_key
from codejury.generate.fim import FAMILIES, PARAMETER
from codejury.generate.journal import CALLS, META, Call, Journal, read_held
from codejury.generate.limiter import Limiter
from codejury.generate.prices import BYTES_PER_TOKEN, Budget, Price, Usage, read_price
from codejury.generate.prompts import TEMPLATES, Prompt, Prompter
from codejury.generate.reply import Answer, Failure, Reply
from codejury.generate.settings import SAMPLING, AskSettings, Mode, check_settings, host, longest, settings_hash

__all__ = [
    "BYTES_PER_TOKEN",
    "CALLS",
    "FAMILIES",
    "META",
    "PARAMETER",
    "SAMPLING",
    "TEMPLATES",
    "Answer",
    "AskSettings",
    "Asked",
    "Asking",
    "Budget",
    "Call",
    "Client",
    "Failure",
    "Journal",
    "Key",
    "Limiter",
    "Mode",
    "OpenAIClient",
    "Price",
    "Prompt",
    "Prompter",
    "Reply",
    "Request",
    "Usage",
    "check_settings",
    "host",
    "longest",
    "most",
    "plan",
    "read_held",
    "read_key",
    "read_price",
    "settings_hash",
]
