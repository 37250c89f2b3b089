//! `tideover completions` and `tideover man`: generated from the options themselves.

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man as Page;

use crate::cli::output::verbatim;
use crate::cli::{Outcome, Problem, configured, wrong};

/// Print the completions of a shell.
///
/// For bash: source <(tideover completions bash)
#[derive(Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

/// Print a manual page.
///
/// To read one: tideover man serve > serve.1; man ./serve.1
#[derive(Args)]
pub(super) struct Manual {
    /// The command that it is about [default: all of them in short]
    command: Option<String>,
}

impl Completions {
    pub(super) fn run(&self) -> Result<Outcome, Problem> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut configured::command(), "tideover", &mut text);
        verbatim(&text)?;
        Ok(Outcome::Pass)
    }
}

impl Manual {
    pub(super) fn run(&self) -> Result<Outcome, Problem> {
        let mut tideover = configured::command();
        tideover.build();
        let page = match &self.command {
            None => tideover,
            Some(name) => named(&tideover, name)?,
        };
        let mut text = Vec::new();
        Page::new(page).render(&mut text)?;
        verbatim(&text)?;
        Ok(Outcome::Pass)
    }
}

/// The command of this name, called as a user calls it.
fn named(tideover: &Command, name: &str) -> Result<Command, Problem> {
    let command = tideover.get_subcommands().find(|command| command.get_name() == name);
    let command = command.ok_or_else(|| {
        let names: Vec<&str> = tideover.get_subcommands().map(Command::get_name).collect();
        wrong(format!("there is no command {name}; there are {}", names.join(", ")))
    })?;
    Ok(command.clone().name(format!("tideover-{name}")).version(env!("CARGO_PKG_VERSION")))
}
