//! Single-use links for vendors (§4 `POST /v1/invitations` and `POST /v1/onboarding-sessions`).

use email_address::{EmailAddress, Options};
use serde::{Deserialize, Serialize};

use crate::choices::{Choices, Token};
use crate::clause;
use crate::endpoint::{INVITATION_LIFE, SESSION_LIFE};
use crate::face::Answer;
use crate::happening::{Impossible, Outcome};
use crate::identity::{PlatformId, RelationshipId};
use crate::refusal::{Code, Refusal};
use crate::service::{Service, UNSYNCED};
use crate::timestamp::{Shift, Timestamp};
use crate::wire::reply::{Invited, Reply, SessionCreated};

/// A reserved name, because the links do not resolve (`gap.sessionUrl`).
const SESSION_BASE: &str = "https://onboarding.tideover.invalid/sessions/";

/// A link that works once, until it expires (`4.invitations.11`, `4.sessions.5`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Link {
    Active { expires_at: Timestamp },
    Used,
}

impl Link {
    fn is_open(self, now: Timestamp) -> bool {
        matches!(self, Link::Active { expires_at } if now < expires_at)
    }

    fn shift(&mut self, shift: Shift) {
        if let Link::Active { expires_at } = self {
            *expires_at = shift.ahead(*expires_at);
        }
    }

    fn follow(&mut self, now: Timestamp) -> Result<(), Impossible> {
        match *self {
            Link::Used => Err(Impossible::new("the link was used already")),
            Link::Active { expires_at } if now >= expires_at => {
                Err(Impossible::new("the link has expired"))
            }
            Link::Active { .. } => {
                *self = Link::Used;
                Ok(())
            }
        }
    }
}

/// An invitation to a person at a business: one active link per address (`gap.invitationLink`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Invitation {
    id: String,
    link: Link,
}

/// A link into onboarding from the caller's own product.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct SessionLink {
    pub(super) relationship: RelationshipId,
    link: Link,
}

impl Invitation {
    pub(super) fn shift(&mut self, shift: Shift) {
        self.link.shift(shift);
    }
}

impl SessionLink {
    pub(super) fn renumber(&mut self, relationships: &[u32]) {
        self.relationship.0 = relationships[self.relationship.0 as usize];
    }

    pub(super) fn shift(&mut self, shift: Shift) {
        self.link.shift(shift);
    }
}

/// Whether `text` is only an address: no display name, no brackets, no comment, and a domain of letters,
/// digits and hyphens with a dot (`2.invitation.email`).
pub(super) fn is_email(text: &str) -> bool {
    let strict =
        Options::default().without_display_text().without_domain_literal().with_required_tld();
    let in_a_domain = |c: char| c.is_alphanumeric() || c == '-' || c == '.';
    EmailAddress::parse_with_options(text, strict)
        .is_ok_and(|address| address.email() == text && address.domain().chars().all(in_a_domain))
}

impl<C: Choices> Service<C> {
    /// The addresses of all invitations.
    pub fn invited(&self) -> impl Iterator<Item = &str> {
        self.invitations.keys().map(|(_, email)| email.as_str())
    }

    /// The addresses whose invitations can be accepted at `now`.
    pub(super) fn open_invitations(
        &self,
        now: Timestamp,
        id: RelationshipId,
    ) -> impl Iterator<Item = &String> {
        let own = self.invitations.range((id, String::new())..);
        own.take_while(move |((of, _), _)| *of == id)
            .filter(move |(_, invitation)| invitation.link.is_open(now))
            .map(|((_, email), _)| email)
    }

    /// `POST /v1/invitations`, to a known business (`4.invitations.6`). A repeat reissues the link, and the
    /// link before it stops working (`4.invitations.10`, `4.idempotency.2`).
    pub(super) fn invite(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        business: &str,
        email: String,
    ) -> Answer {
        let relationship = self.known_relationship(caller, business, clause!("4.invitations.6"));
        let invalid = || Refusal::new(Code::InvalidInvitee, clause!("4.invitations.7"));
        let valid = is_email(&email).then_some(()).ok_or_else(invalid);
        let relationship = self.in_precedence(relationship, valid)?;
        let expires_at = now.after(INVITATION_LIFE);
        let key = (relationship, email);
        let invite_id = match self.invitations.get(&key) {
            Some(invitation) => invitation.id.clone(),
            None => self.mint(Token::Invitation),
        };
        let invitation = Invitation { id: invite_id.clone(), link: Link::Active { expires_at } };
        self.invitations.insert(key, invitation);
        Ok(Reply::Invited(Invited { invite_id, expires_at }))
    }

    /// The invited person claims the account, for this relationship only (`4.invitations.8`). A person who
    /// already has an account is treated the same (`4.invitations.9`).
    pub(super) fn vendor_accepts_invitation(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
        email: String,
    ) -> Result<Outcome, Impossible> {
        let relationship = self.named_relationship(platform, payee)?;
        let invitation = self
            .invitations
            .get_mut(&(relationship, email))
            .ok_or(Impossible::new("nobody was invited under this address"))?;
        invitation.link.follow(now)?;
        self.relationships[relationship.0].claimed = true;
        Ok(Outcome::Applied)
    }

    /// `POST /v1/onboarding-sessions`: a new link each time (`4.sessions.6`).
    pub(super) fn create_onboarding_session(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        business: &str,
    ) -> Answer {
        let relationship = self.known_relationship(caller, business, UNSYNCED)?;
        let expires_at = now.after(SESSION_LIFE);
        let url = format!("{SESSION_BASE}{}", self.mint(Token::SessionLink));
        let link = SessionLink { relationship, link: Link::Active { expires_at } };
        self.session_links.insert(url.clone().into(), link);
        Ok(Reply::SessionCreated(SessionCreated { url, expires_at }))
    }

    /// The vendor follows an onboarding link, if those resolve (`4.sessions.7`, `gap.sessionsLive`). Then it
    /// can settle tax id, bank account and signature (`4.sessions.3`).
    pub(super) fn vendor_opens_session(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        url: &str,
    ) -> Result<Outcome, Impossible> {
        if !self.profile.session_links_live {
            return Err(Impossible::new("the links of onboarding sessions do not resolve yet"));
        }
        let session = self
            .session_links
            .get_mut(url)
            .filter(|session| self.relationships.owner(session.relationship.0) == platform.0)
            .ok_or(Impossible::new("no such onboarding link was created"))?;
        session.link.follow(now)?;
        self.relationships[session.relationship.0].claimed = true;
        Ok(Outcome::Applied)
    }
}
