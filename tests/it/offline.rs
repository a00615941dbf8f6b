//! A session without a network: what names no destination works, and opens no socket to the outside.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use engine_api::{Effect, ROUTES};
use serde_json::{Value, json};

use crate::support::{Daemon, example, read_until, wait_for};
use crate::target::Target;

/// Set where the test runs in a network namespace without a route.
const CUT: &str = "ENGINE_TEST_WITHOUT_ROUTE";

/// Routes whose every good example names a destination: an endpoint, or a dashboard.
const NAMES_A_DESTINATION: [&str; 5] = [
    "/audit/run",
    "/eval/run",
    "/eval/run/stream",
    "/redteam/run",
    "/sync/status",
];

/// The id of a share in examples; no share has it.
const SHARE: &str = "0123456789abcdef";

/// `LISTEN` in `/proc/net/tcp`.
const LISTEN: &str = "0A";

#[test]
fn a_session_that_names_no_destination_opens_no_outbound_socket() {
    if std::env::var_os(CUT).is_some() {
        let error = TcpStream::connect_timeout(&"192.0.2.1:80".parse().unwrap(), Duration::from_secs(5)).unwrap_err();
        assert_eq!(
            error.kind(),
            std::io::ErrorKind::NetworkUnreachable,
            "the network is cut"
        );
        return session();
    }
    match without_route() {
        Some(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && text.contains("1 passed"), "{text}\n{errors}");
        }
        // The machine allows no namespace: the sockets are watched all the same.
        None => session(),
    }
}

/// Runs this test once more where only loopback exists; none where the machine does not allow that.
fn without_route() -> Option<Output> {
    let up = "ip link set lo up";
    let allowed = Command::new("unshare")
        .args(["--map-root-user", "--net", "sh", "-c", up])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !allowed {
        return None;
    }
    let script = format!("{up} && exec \"$@\"");
    let name = "offline::a_session_that_names_no_destination_opens_no_outbound_socket";
    let output = Command::new("unshare")
        .args(["--map-root-user", "--net", "sh", "-c", &script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CUT, "yes")
        .stdin(Stdio::null())
        .output();
    Some(output.unwrap())
}

fn session() {
    let project = example("helpdesk");
    let daemon = Daemon::start(project.path(), &[]);
    let watch = Watch::of(&daemon);
    let mut served = 0;
    let mut unserved: BTreeSet<&str> = ROUTES.iter().map(|route| route.path).collect();
    for route in ROUTES {
        for one in route.examples {
            let (path, body) = one.parts(route);
            let named = [path, body]
                .iter()
                .any(|text| text.contains("://") || text.contains("%3A%2F%2F"));
            if named {
                continue;
            }
            if one.status < 400 || one.status == 424 {
                unserved.remove(route.path);
            }
            if path.contains(SHARE) {
                continue;
            }
            if route.path == "/events" {
                follow(&daemon, path);
                continue;
            }
            let send = |path: &str| {
                if route.method == "POST" {
                    daemon.post(path, body)
                } else {
                    daemon.send("GET", path, "Content-Type: application/json\r\n", body.as_bytes())
                }
            };
            // Each deprecated path reaches the same endpoint; a read shows that it opens no socket of its own.
            for alias in route.aliases.iter().filter(|_| route.effect == Effect::Read) {
                let reply = send(&path.replacen(route.path, alias, 1));
                assert_ne!(reply.status, 405, "{alias}: {}", reply.body);
                assert!(!reply.body.contains("unknown-route"), "{alias}: {}", reply.body);
            }
            let reply = send(path);
            let place = format!("{} {}: {}", route.method, route.path, one.name);
            // Without an evaluation, which names a destination, some routes have nothing to report.
            let without_run = ["no-run-yet", "unknown-run"]
                .iter()
                .any(|code| reply.body.contains(code));
            if !without_run && !body.contains(SHARE) {
                assert_eq!(reply.status, one.status, "{place}: {}", reply.body);
            }
            served += 1;
        }
    }
    assert!(served > 100, "{served}");
    // Every route was there, with a good request, except where such a request names a destination.
    assert_eq!(unserved, BTreeSet::from(NAMES_A_DESTINATION));
    assert_eq!(daemon.get("/status").json()["outbound"], json!([]));
    let seen = watch.seen();
    assert!(seen.contains("listening"), "{seen:?}");
    let outbound: Vec<&String> = seen.iter().filter(|one| one.starts_with("outbound")).collect();
    assert!(outbound.is_empty(), "{outbound:?}");

    // What names a destination is noticed by the same watch, and reported by the engine.
    let target = Target::constant("I am an AI system.");
    let body = json!({"path": ".", "target": target.url, "maxProbes": 3}).to_string();
    assert_eq!(daemon.post("/eval/run", &body).status, 200);
    wait_for("the socket to the target", || {
        watch.seen().iter().any(|one| one.starts_with("outbound")) || {
            daemon.post("/eval/run", &body);
            false
        }
    });
    let status = daemon.get("/status").json();
    let named: Vec<&str> = status["outbound"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(named.len() == 1 && named[0].contains(target.host()), "{named:?}");
}

/// Opens a stream of events and leaves it.
fn follow(daemon: &Daemon, path: &str) {
    let mut stream = daemon.connect();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    assert!(read_until(&mut stream, "\r\n\r\n").starts_with("HTTP/1.1"));
}

/// Looks at the sockets of a process, again and again.
struct Watch {
    seen: Arc<Mutex<BTreeSet<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    fn of(daemon: &Daemon) -> Self {
        let seen = Arc::new(Mutex::new(BTreeSet::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let (pid, port) = (daemon.child.id(), daemon.port);
        let (kept, stopped) = (Arc::clone(&seen), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let now = sockets(pid, port);
                kept.lock().unwrap().extend(now);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        Self {
            seen,
            stop,
            thread: Some(thread),
        }
    }

    fn seen(&self) -> BTreeSet<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The sockets of a process: it listens on its port, it serves a client there, or anything else, which is outbound.
fn sockets(pid: u32, port: u16) -> Vec<String> {
    let inodes: BTreeSet<String> = fs::read_dir(format!("/proc/{pid}/fd"))
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let link = fs::read_link(entry.ok()?.path()).ok()?;
            let inode = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
            Some(inode.to_owned())
        })
        .collect();
    let mut all = Vec::new();
    for kind in ["tcp", "tcp6", "udp", "udp6"] {
        let table = fs::read_to_string(format!("/proc/{pid}/net/{kind}")).unwrap_or_default();
        for line in table.lines().skip(1) {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let (Some(local), Some(remote), Some(state), Some(inode)) =
                (columns.get(1), columns.get(2), columns.get(3), columns.get(9))
            else {
                continue;
            };
            if !inodes.contains(*inode) {
                continue;
            }
            let own = local
                .rsplit(':')
                .next()
                .and_then(|digits| u16::from_str_radix(digits, 16).ok());
            all.push(match (kind.starts_with("tcp") && own == Some(port), *state) {
                (true, LISTEN) => "listening".to_owned(),
                (true, _) => "serving".to_owned(),
                (false, state) => format!("outbound {kind} {local} {remote} {state}"),
            });
        }
    }
    all
}
