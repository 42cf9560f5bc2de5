#!/usr/bin/python3
# An agent that lies: it takes the place of Hostler's on a host that is in other hands. /root/lie says how, and the word that all of its lies have.
import json, sys

how, word = open("/root/lie").read().split()
bad = word + " \x1b[2J\x1b]52;c;aGk=\x07\u009b31m\x00\u2028</script><script>alert(1)</script>'\";$(touch /tmp/" + word + ")`id`\r\n\nid: 1\nevent: output\ndata: {}\n\n"

def send(frame):
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()

def event(seq, text, kind="output"):
    return {"seq": seq, "at": "9999-12-31T23:59:59Z", "kind": kind, "index": seq, "step": bad, "state": "succeeded", "text": text}

facts = {"os": "debian", "os_version": "12", "os_name": bad, "arch": "amd64", "hostname": bad, "boot_id": bad, "cpus": -1, "memory_bytes": -1, "disk_bytes": 9223372036854775807, "disk_free_bytes": -9223372036854775808,
         "reboot_needed": True, "addresses": [bad, "0.0.0.0", "127.0.0.1"] * 100, "timezone": "../../" + bad, "ssh_client": bad, "ssh_port": -22, "packages": {"nginx": bad, bad: bad, "php8.2-fpm": "8.2" + bad},
         "available": {"nginx": bad}, "firewalls": [bad], "ufw": [bad], "open_ports": [-1, 0, 1 << 40]}

for line in sys.stdin:
    request = json.loads(line)
    n, op, body = request["id"], request["op"], request.get("body") or {}
    if op == "hello":
        send({"id": n, "body": {"version": 1, "boot_id": bad, "pid": -1}, "done": True})
        continue
    if how == "forged":
        # Answers to requests that were never made here, and ends of runs of other servers.
        for other in list(range(1, 300)) + [1 << 63]:
            if other != n:
                send({"id": other, "event": event(1, bad)})
                send({"id": other, "body": {"id": "op-%d" % other, "state": "succeeded", "changed": True, "reason": bad, "output": bad}, "done": True})
    if op == "facts":
        send({"id": n, "body": {"os": bad} if how == "broken" else facts, "done": True})
    elif op in ("run.start", "run.attach"):
        run = body.get("id", "")
        if how == "endless":
            seq = 0
            while True:
                seq += 1
                send({"id": n, "event": event(seq, bad + "x" * 60000)})
        elif how == "forged":
            send({"id": n, "event": event(1, bad)})
            send({"id": n, "body": {"id": "op-1", "state": "succeeded", "reason": bad}, "done": True})
        elif how == "broken":
            send({"id": n, "event": event(7, bad)})
        else:
            for seq in range(1, 50):
                send({"id": n, "event": event(seq, bad, ["step", "output", "waiting", bad, "lost"][seq % 5])})
            send({"id": n, "body": {"id": run, "state": "failed", "changed": True, "failed_step": bad, "index": -1, "reason": bad * 1000, "output": bad * 100, "exit_code": -1, "restored": True,
                                    "report": {bad: bad, "commit": bad}, "started_at": "0001-01-01T00:00:00Z", "ended_at": "9999-12-31T23:59:59Z"}, "done": True})
    elif op == "drift":
        send({"id": n, "body": {"differences": [{"step": bad, "path": bad, "what": bad, "diff": bad}] * 1000}, "done": True})
    elif op == "runs":
        send({"id": n, "body": [{"id": bad, "lane": bad, "fence": -1, "starts": -1, "state": bad, "started_at": "9999-12-31T23:59:59Z"}] * 1000, "done": True})
    elif op == "units":
        send({"id": n, "body": [{"unit": bad, "active": bad, "sub": bad}] * 1000, "done": True})
    else:
        send({"id": n, "body": {"content": bad, "text": bad, "lines": [bad], "path": bad, "exists": True}, "done": True})
