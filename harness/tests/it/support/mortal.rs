//! A service in a process of its own, which dies when it is told to, and comes back when its command is run again.

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;

use tideover_endpoint::wall_time;
use tideover_model::{
    Altered, Answer, Attempt, Destinations, Operation, OperationKind, PlatformId, Profile, Seeded,
    Service, Timestamp,
};
use tideover_sim::{Mock, NoNames, SigningTime};

/// The variables that tell the process where it listens and when it dies.
const PORT: &str = "TIDEOVER_TEST_PORT";
const DIES: &str = "TIDEOVER_TEST_DIES";

/// When the service dies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dies {
    /// When it signs a webhook.
    AtWebhook,
    /// When it handles this operation.
    At(OperationKind),
    /// When it handles so many operations, whatever they are: somebody has stopped it.
    After(u64),
}

impl Dies {
    fn written(self) -> String {
        match self {
            Dies::AtWebhook => "webhook".to_owned(),
            Dies::At(kind) => format!("at {kind}"),
            Dies::After(count) => format!("after {count}"),
        }
    }

    fn read(text: &str) -> Dies {
        let number = |text: &str| text.strip_prefix("after ").map(|it| it.parse().unwrap());
        let named = |kind: &OperationKind| text == format!("at {kind}");
        match number(text) {
            Some(count) => Dies::After(count),
            None => OperationKind::ALL.into_iter().find(named).map_or(Dies::AtWebhook, Dies::At),
        }
    }
}

/// The service, as a process that the test may start again.
pub(crate) struct Deployment {
    folder: tempfile::TempDir,
    port: u16,
    command: String,
}

impl Deployment {
    /// Starts the service. `test` is the name of the test that serves: `outcomes::a_mortal_service`.
    pub(crate) fn start(test: &str, dies: Dies) -> Deployment {
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (own, pids) = (std::env::current_exe().unwrap(), folder.path().join("pids"));
        let (own, pids, dies) = (own.display(), pids.display(), dies.written());
        let command = format!(
            "{PORT}={port} {DIES}='{dies}' '{own}' {test} --exact --ignored & echo $! >> '{pids}'"
        );
        let deployment = Deployment { folder, port, command };
        let shell = Command::new("sh")
            .args(["-c", &format!("({}) > /dev/null 2>&1", deployment.command)])
            .status();
        assert!(shell.unwrap().success());
        while TcpStream::connect(("127.0.0.1", port)).is_err() {}
        deployment
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The command that brings it back.
    pub(crate) fn restart(&self) -> &str {
        &self.command
    }

    fn pids(&self) -> PathBuf {
        self.folder.path().join("pids")
    }

    /// How often it was started.
    pub(crate) fn starts(&self) -> usize {
        std::fs::read_to_string(self.pids()).unwrap_or_default().lines().count()
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        let pids = std::fs::read_to_string(self.pids()).unwrap_or_default();
        for pid in pids.lines() {
            let _ = Command::new("kill").args(["-9", pid]).output();
        }
    }
}

/// Serves until it dies.
pub(crate) async fn serve() {
    let (Ok(port), Ok(dies)) = (std::env::var(PORT), std::env::var(DIES)) else { return };
    let (service, dies) = (Service::new(Profile::default(), Seeded { seed: 7 }), Dies::read(&dies));
    // Only the inbox of a run that has one is on this machine.
    let destinations = match dies {
        Dies::AtWebhook => Destinations::Local,
        Dies::At(_) | Dies::After(_) => Destinations::Public,
    };
    let face = Mortal { service: service.sending_to(destinations), dies, handled: 0 };
    let builder = Mock::builder().resolver(NoNames).start_at(wall_time());
    let builder = builder.signing(SigningTime::Virtual).face(Box::new(face));
    let address = format!("127.0.0.1:{port}").parse().unwrap();
    let _mock = builder.listen(address).start().await.unwrap();
    std::future::pending::<()>().await;
}

/// The model, until it dies.
struct Mortal {
    service: Service<Seeded>,
    dies: Dies,
    handled: u64,
}

impl Altered for Mortal {
    type Face = Service<Seeded>;

    fn unaltered(&self) -> &Service<Seeded> {
        &self.service
    }

    fn unaltered_mut(&mut self) -> &mut Service<Seeded> {
        &mut self.service
    }

    fn alter_answer(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer {
        self.handled += 1;
        let dies = match self.dies {
            Dies::AtWebhook => false,
            Dies::At(kind) => operation.kind() == kind,
            Dies::After(count) => self.handled == count,
        };
        if dies {
            std::process::exit(7);
        }
        tideover_model::Face::handle(&mut self.service, now, caller, operation)
    }

    fn alter_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        let attempt = tideover_model::Face::poll_attempt(&mut self.service, now)?;
        if matches!(self.dies, Dies::AtWebhook) {
            std::process::exit(7);
        }
        Some(attempt)
    }
}
