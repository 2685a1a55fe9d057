"""Agents as people have them: scripts, virtual environments, node programs in a closed home, models on the network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.runs import Bench
from tests.support.servers import stub_server

pytestmark = pytest.mark.sandbox

NODE = shutil.which("node", path="/usr/bin:/usr/local/bin")
needs_node = pytest.mark.skipif(NODE is None, reason="no node among the system's programs")


def log(bench: Bench) -> str:
    return (bench.evidence / "transcripts" / "iteration-1.log").read_text()


def test_a_python_script_with_a_helper_beside_it_is_a_directory_agent(everyone: Bench) -> None:
    everyone.scenario()
    everyone.script("#!/usr/bin/env python3\nimport helper\nhelper.solve()\n", "mine/run")
    helper = """import json
def solve():
    json.dump({'total': 14.0}, open('report.json', 'w'))
    print('{"status": "goal_satisfied"}')
"""
    (everyone.folder / "mine" / "helper.py").write_text(helper)
    ran = everyone.attempt("mine")
    assert ran.code == 0, ran.out + log(everyone)
    assert everyone.kept("ruhroh-loop-result.json")["runAgentAdapterId"] == "mine"


def test_a_virtual_environment_is_shown_with_agent_path(everyone: Bench) -> None:
    everyone.scenario()
    venv = everyone.folder / ".venv"
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", str(venv)], check=True)
    (site,) = venv.glob("lib/python3*/site-packages")
    (site / "solver.py").write_text("print(open('report.json', 'w').write('{\"total\": 14.00}'))\n")
    agent = everyone.script(f"#!{venv}/bin/python\nimport solver\n", "agent.py")
    hidden = everyone.attempt(agent)
    assert (hidden.code, hidden.refused) == (2, ["agent_not_visible"])
    hint = json.loads(hidden.out)["refused"][0]["hint"]
    assert f"--agent-path {venv}" in hint
    ran = everyone.attempt(agent, "--agent-path", ".venv", "--iterations", "1")
    assert ran.code == 0, ran.out + log(everyone)


@needs_node
def test_a_node_program_below_a_closed_home_is_shown_with_agent_path(everyone: Bench) -> None:
    everyone.scenario()
    home = everyone.folder / "home"
    tools = home / ".nvm" / "versions" / "node" / "v22"
    (tools / "bin").mkdir(parents=True)
    shutil.copy(str(NODE), tools / "bin" / "node")
    solver = tools / "bin" / "solver"
    solver.write_text(
        "#!/usr/bin/env node\nrequire('fs').writeFileSync('report.json', '{\"total\": 14.00}');\n"
        "console.log(process.execPath);\n"
    )
    solver.chmod(0o755)
    home.chmod(0o700)
    path = f"{tools}/bin:/usr/bin:/bin"
    hidden = everyone.attempt("solver", env={"PATH": path})
    assert hidden.refused == ["agent_not_visible"]
    assert f"--agent-path {tools}" in json.loads(hidden.out)["refused"][0]["hint"]
    ran = everyone.attempt("solver", "--agent-path", str(tools), "--agent-env", f"PATH={path}", "--iterations", "1")
    assert ran.code == 0, ran.out + log(everyone)
    assert str(tools / "bin" / "node") in log(everyone)


def test_an_agent_reaches_the_model_it_is_allowed_to_and_nothing_else(everyone: Bench) -> None:
    everyone.scenario()
    agent = everyone.script("""#!/usr/bin/python3
import json, os, urllib.request
answer = json.load(urllib.request.urlopen(os.environ["MODEL_URL"]))
print(answer["text"])
try:
    urllib.request.urlopen("http://example.org/", timeout=20)
except Exception as error:
    print("other:", error)
open("report.json", "w").write('{"total": 14.00}')
print('{"status": "goal_satisfied"}')
""")
    with stub_server() as stub:
        ran = everyone.attempt(
            agent,
            "--allow-agent-host", f"127.0.0.1:{stub.port}",
            "--agent-env", f"MODEL_URL=http://127.0.0.1:{stub.port}/v1",
        )  # fmt: skip
    assert ran.code == 0, ran.out + log(everyone)
    assert log(everyone).startswith("forty-two\nother: HTTP Error 403")
    assert everyone.kept("ruhroh-run-manifest.json")["network"] == {
        "allowedHosts": [f"127.0.0.1:{stub.port}"],
        "connections": {f"127.0.0.1:{stub.port}": 1},
        "refused": {"example.org:80": 1},
    }


@needs_node
def test_a_node_agent_reaches_its_model_over_a_tunnel(everyone: Bench) -> None:
    everyone.scenario()
    agent = everyone.script("""#!/usr/bin/node
const http = require('http'), fs = require('fs');
const proxy = new URL(process.env.HTTPS_PROXY), model = new URL(process.env.MODEL_URL);
const ask = http.request({host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: model.host});
ask.on('connect', (response, socket) => {
  http.get({createConnection: () => socket, path: '/v1', headers: {host: model.host}}, (answer) => {
    answer.on('data', (data) => {
      console.log(response.statusCode, JSON.parse(data).text);
      fs.writeFileSync('report.json', '{"total": 14.00}');
      process.exit(0);
    });
  });
});
ask.end();
""")
    with stub_server() as stub:
        ran = everyone.attempt(
            agent,
            "--iterations", "1",
            "--allow-agent-host", f"127.0.0.1:{stub.port}",
            "--agent-env", f"MODEL_URL=http://127.0.0.1:{stub.port}/",
        )  # fmt: skip
    assert ran.code == 0, ran.out + log(everyone)
    assert log(everyone) == "200 forty-two\n"


def test_a_scenario_with_the_network_shows_the_machines_own(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.scenario(requires__network=True)
    agent = bench.script(
        "#!/usr/bin/python3\nimport os, urllib.request\n"
        "opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))\n"
        "print(opener.open(os.environ['MODEL_URL']).read().decode())\n"
        "print(os.environ.get('NODE_EXTRA_CA_CERTS'), os.path.exists('/etc/resolv.conf'))\n"
    )
    (tmp_path / "ca.pem").write_text("certificate\n")
    with stub_server() as stub:
        bench.attempt(
            agent, "--iterations", "1", "--agent-env", f"MODEL_URL=http://127.0.0.1:{stub.port}/",
            "--allow-agent-host", "api.example.com",
            env={"NODE_EXTRA_CA_CERTS": str(tmp_path / "ca.pem"), "HTTPS_PROXY": ""},
        )  # fmt: skip
    said = log(bench)
    assert "forty-two" in said
    assert f"{tmp_path}/ca.pem {os.path.exists('/etc/resolv.conf')}" in said
    assert "restricts nothing" in " ".join(bench.kept("ruhroh-run-manifest.json")["warnings"])


def test_what_the_scenario_asks_of_an_agent_is_compared_with_what_it_states(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.scenario(requires={"continuity": "native_session", "tools": ["shell", "browser"], "network": False})
    bench.script("#!/bin/bash\ntrue\n", "mine/run")
    about = {
        "id": "mine-2",
        "version": "2.0",
        "continuity": "workspace_only",
        "tools": ["shell"],
        "hosts": ["api.example.com"],
        "env": ["MINE_KEY"],
    }
    (tmp_path / "mine" / "agent.json").write_text(json.dumps(about))
    ran = bench.attempt("mine", "--iterations", "1")
    warnings = "\n".join(ran.report["warnings"])
    for words in (
        "continuity native_session",
        "tools browser",
        "--agent-env MINE_KEY",
        "--allow-agent-host api.example.com",
    ):
        assert words in warnings
        assert words in ran.err
    agent = bench.kept("ruhroh-loop-result.json")["runAgent"]
    assert (agent["adapterId"], agent["adapterVersion"]) == ("mine-2", "2.0")
