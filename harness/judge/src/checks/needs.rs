//! What a check needs of the target and of the options.

/// What a target must offer, so that a clause can be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Requests, which every caller can send.
    Requests,
    /// Permission for requests that write.
    Writes,
    /// A fully onboarded vendor, so that advances are granted.
    Vendor,
    /// An operator who acts for the outside world.
    Operator,
    /// Our own operator port. Responses of another port are no evidence against the service.
    OwnPort,
    /// An inbox that the target can send webhooks to.
    Inbox,
    Clock,
    SecondKey,
    /// A target whose choices are its own: its responses are held against each other.
    Foreign,
    /// A target whose whole state is known. In a foreign service, other people's actions may change what it
    /// refuses.
    Known,
    Inside,
}

impl Needs {
    /// All that the model offers in process, its internal state last.
    pub const OF_THE_MODEL: &[Needs] = &[
        Needs::Requests,
        Needs::Writes,
        Needs::Vendor,
        Needs::Operator,
        Needs::OwnPort,
        Needs::SecondKey,
        Needs::Inbox,
        Needs::Clock,
        Needs::Known,
        Needs::Inside,
    ];
    /// All that our own mock offers: the same but for the internal state.
    pub const OF_A_MOCK: &[Needs] = match Needs::OF_THE_MODEL {
        [offered @ .., Needs::Inside] => offered,
        _ => panic!("the internal state is not the last"),
    };

    /// The option that permits writes, in words.
    pub const WRITES: &str =
        "writes (--sandbox where nothing is real, --allow-writes with test accounts elsewhere)";
    /// The option that gives an operator port, in words.
    pub const OPERATOR: &str = "the operator port (--operator)";
    /// The option that lets the clock move, in words.
    pub const CLOCK: &str = "a clock that can be moved (--operator)";
    /// The options that give an inbox, in words.
    pub const INBOX: &str = "an inbox (--webhook-listen and --webhook-url)";

    /// The option that gives the key of a second platform, in words.
    pub(crate) const SECOND_KEY: &str = "the key of a second platform (--second-key)";

    /// Why a clause cannot be met without this.
    pub fn lacking(self) -> &'static str {
        match self {
            Needs::Requests => "no request was sent",
            Needs::Writes => "nothing that writes was sent",
            Needs::Vendor => "no vendor is onboarded",
            Needs::Operator => "there is no operator port to play the outside world",
            Needs::OwnPort => "the responses of another operator port prove nothing",
            Needs::Inbox => "webhooks do not come to the suite",
            Needs::Clock => "nobody moves the clock of the target",
            Needs::SecondKey => "there is no second platform",
            Needs::Foreign => "its choices are those of the suite",
            Needs::Known => "the behavior of the service is not known beforehand",
            Needs::Inside => "only a service in process shows its inner state",
        }
    }

    /// The option that offers it, in words; `None` if no option does at this target.
    pub fn remedy(self) -> Option<&'static str> {
        match self {
            Needs::Writes => Some(Needs::WRITES),
            Needs::Vendor => Some("a vendor who is onboarded (--operator)"),
            Needs::Operator => Some(Needs::OPERATOR),
            Needs::Inbox => Some(Needs::INBOX),
            Needs::Clock => Some(Needs::CLOCK),
            Needs::SecondKey => Some(Needs::SECOND_KEY),
            Needs::Requests | Needs::OwnPort | Needs::Foreign | Needs::Known | Needs::Inside => {
                None
            }
        }
    }
}
