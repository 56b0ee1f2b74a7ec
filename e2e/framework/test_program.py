"""A program of any kind as a component: what it is given, and how it is seen that it works."""

import re
import socket

import pytest

from schedtest import ComponentError, HttpGet, InfrastructureError, LogLine, Program, Rule

LISTS = (Rule(("",), ("pods", "nodes"), ("list",)),)
SCHEDULES = (
    *LISTS,
    Rule(("",), ("pods/binding", "events"), ("create",)),
    Rule(("",), ("pods/status",), ("patch",)),
)


def program(name, *arguments, ports=None, rules=LISTS, **more):
    """Describe the program of ``toy_program.py``."""
    return Program(
        name,
        lambda at: [f"--folder={at.folder}", f"--ca={at.ca}", f"--rest={at.ports['rest']}", *arguments],
        module="toy_program",
        env={"WHOM": "everyone"},
        files={"greeting.txt": "good morning"},
        ports=ports or {"rest": 0},
        rules=rules,
        **more,
    )


def toy(name, **more):
    """Describe the program of ``toy_faults.py``: a scheduler that works."""
    return Program(
        name,
        lambda at: [f"--kubeconfig={at.kubeconfig}", f"--port={at.port}", f"--serves={name}", "--fault=Toy"],
        module="toy_faults",
        serves=name,
        **more,
    )


def test_it_gets_files_variables_and_ports_and_is_asked_at_one_of_them(install):
    installed = install(program("greeter", health=HttpGet("/ready", port="rest")))
    said = installed.log().decode()
    assert re.search(r"it works: good morning everyone, -----BEGIN CERTIFICATE-----, port \d+$", said, re.MULTILINE)


def test_health_is_a_line_of_its_log(install):
    installed = install(program("talker", "--serves-nothing", health=LogLine("^it works")))
    assert b"it works" in installed.log()
    with pytest.raises(ComponentError, match=r"mute runs, but is not ready after 1 s, .* has not logged .*'it sings'"):
        install(program("mute", "--serves-nothing", health=LogLine("it sings")), timeout=1)


def test_health_is_a_connection_to_the_api_server(install, pods, nodes, expect):
    (node,) = nodes.claim(1)
    installed = install(toy("unasked", rules=SCHEDULES))
    expect(pods.create(scheduler=installed)).bound_to(node)


def test_right_that_it_lacks_is_its_own_fault_however_its_health_is_seen(install):
    refusal = r"(?s)refused ended by itself with exit code 1.*It was refused: list nodes of API group ''; if it needs"
    for health in ({}, {"health": LogLine("^it works")}, {"health": HttpGet("/ready", port="rest")}):
        with pytest.raises(ComponentError, match=refusal):
            install(program("refused", "--lists=nodes", rules=(Rule(("",), ("pods",), ("list",)),), **health))


@pytest.mark.requires("processes")
def test_fixed_port_that_is_taken_is_refused_before_it_starts(install, unused_port):
    port = unused_port()
    with socket.create_server(("127.0.0.1", port)):
        said = rf"fixed needs port {port} \(rest\) of this machine and cannot have it: Address already in use; end what"
        with pytest.raises(InfrastructureError, match=said):
            install(program("fixed", ports={"rest": port}, health=HttpGet("/ready", port="rest")))
    installed = install(program("fixed", ports={"rest": port}, health=HttpGet("/ready", port="rest")))
    assert f"port {port}".encode() in installed.log()


def test_part_that_fails_keeps_those_after_it_from_being_installed(install, pods, nodes, expect):
    (node,) = nodes.claim(1)
    talker = program("talker", "--serves-nothing", health=LogLine("^it works"))
    first, second = [install(part) for part in (talker, toy("second", rules=SCHEDULES))]
    expect(pods.create(scheduler=second)).bound_to(node)
    first.uninstall()

    blind = program("blind", "--lists=nodes", rules=())
    with pytest.raises(ComponentError, match=r"^blind ended by itself with exit code 1"):
        [install(part) for part in (talker, blind, toy("third", rules=SCHEDULES))]
    expect(pods.create(scheduler="third")).left_alone()
