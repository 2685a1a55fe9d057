"""What Harbor's providers can do about a network, so that a run is refused before it starts, not half way.

Read from Harbor 0.26 (`capabilities` of each class in `harbor.environments`) for packages of ours, which have no
Compose file. A provider that is not listed, and a class of somebody's own, may do everything: Harbor asks it itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from generator.execute.refusal import Refused

if TYPE_CHECKING:
    from generator.execute.taskpackage import TaskPackage

# Cannot keep a container off the network (`disable_internet`).
NO_ISOLATION: Final = (
    "ack",
    "apple-container",
    "cua-cloud",
    "gke",
    "hf-sandbox",
    "kernel",
    "openshift",
    "singularity",
    "snowflake",
    "use-computer",
)
# Can do that, but cannot open single hosts (`network_allowlist`).
NO_HOSTS: Final = ("boxd", "cwsandbox", "ec2", "opensandbox", "skypilot")
# Can do both, but not change it while the container runs (`dynamic_network_policy`), as the hosts of an agent need.
NO_CHANGE: Final = ("aca-sandbox", "blaxel", "langsmith", "mosaic", "runloop", "smol")

_ELSEWHERE: Final = "another --harbor-env, such as docker, daytona, e2b or modal"


def unsupported(
    provider: str, packages: Iterable[TaskPackage], agent_hosts: Iterable[str], review_hosts: Iterable[str]
) -> Refused | None:
    """Why Harbor would refuse these packages on `provider` (Harbor's name of it); None where it is not known to.

    Args:
        provider: What `--harbor-env` names.
        packages: What is to be run.
        agent_hosts: Hosts to open to an agent without network.
        review_hosts: Hosts to open to a review without network.
    """
    asked = tuple(packages)
    closed = [package for package in asked if not (package.network and package.review_network)]
    if closed and provider in NO_ISOLATION:
        message = f"{provider} cannot keep a container off the network, as {_named(closed)} asks for"
        return Refused("harbor_env_unsuitable", message, _ELSEWHERE)
    agents = tuple(agent_hosts) if any(not package.network for package in asked) else ()
    reviews = tuple(review_hosts) if any(not package.review_network for package in asked) else ()
    if provider in NO_HOSTS and (agents or reviews):
        message = f"{provider} cannot open single hosts: {', '.join((*agents, *reviews))}"
        return Refused("harbor_env_unsuitable", message, _ELSEWHERE)
    if provider in NO_CHANGE and agents:
        message = f"{provider} cannot open hosts to the agent alone: {', '.join(agents)}"
        return Refused("harbor_env_unsuitable", message, _ELSEWHERE)
    return None


def _named(packages: list[TaskPackage], shown: int = 3) -> str:
    names = ", ".join(package.scenario_id for package in packages[:shown])
    return f"{names} and {len(packages) - shown} more" if len(packages) > shown else names
