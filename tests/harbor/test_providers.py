"""The table of providers agrees with what the installed Harbor says of itself."""

from __future__ import annotations

import json

import pytest

from generator.harbor.providers import NO_CHANGE, NO_HOSTS, NO_ISOLATION
from tests.harbor.machine import Machine

pytestmark = pytest.mark.harbor

# Whether they can depends on the kernel or on the packages of a trial: no table can say it.
BY_TRIAL = {"docker", "podman", "kata", "modal", "gke", "sbx"}

# Asked in Harbor's own Python: what each class says of a task without a Compose file and with no options.
CAPABILITIES = """
import importlib, json
from harbor.environments.factory import _ENVIRONMENT_REGISTRY

class Nothing:
    def __getattr__(self, name): return Nothing()
    def __call__(self, *arguments, **options): return Nothing()
    def __bool__(self): return False
    def __eq__(self, other): return False
    __hash__ = None

found = {}
for kind, entry in _ENVIRONMENT_REGISTRY.items():
    try:
        made = getattr(importlib.import_module(entry.module), entry.class_name).capabilities.fget(Nothing())
    except Exception as error:
        found[kind.value] = None
    else:
        stated = (made.disable_internet, made.network_allowlist, made.dynamic_network_policy)
        found[kind.value] = [one is True for one in stated]
print(json.dumps(found))
"""


def test_every_provider_that_can_be_asked_stands_where_it_belongs(harbor: Machine) -> None:
    done = harbor.run([harbor.python, "-W", "ignore", "-c", CAPABILITIES])
    assert done.code == 0, done.err
    found = json.loads(done.out)

    listed = {*NO_ISOLATION, *NO_HOSTS, *NO_CHANGE}
    assert listed <= set(found)
    asked = {name: can for name, can in found.items() if can is not None and name not in BY_TRIAL}
    assert len(asked) > 20
    for name, (isolation, hosts, change) in asked.items():
        expected = (name not in NO_ISOLATION, name not in NO_ISOLATION + NO_HOSTS, name not in listed)
        assert (isolation, hosts, change) == expected, name
