"""Tests to verdicts: judge and candidate as two confined processes, plain values between them."""

from codejury.judging.allowance import raised
from codejury.judging.profiles import Profile, profile
from codejury.judging.records import Observation, Request
from codejury.judging.session import ROLES, Slot
from codejury.judging.verdicts import JUDGE_VERSION, Try, judge, verdict_key

__all__ = [
    "JUDGE_VERSION",
    "ROLES",
    "Observation",
    "Profile",
    "Request",
    "Slot",
    "Try",
    "judge",
    "profile",
    "raised",
    "verdict_key",
]
