//! What can be asked of a business, and where it leads.

use serde_json::json;
use tideover_exchange::evidence::matrix::Asked;
use tideover_exchange::step::Step;
use tideover_model::{ActionKind, OperationKind, VendorRoute};

use crate::generate::matrix::ask::{self, Subject};
use crate::generate::matrix::{FACE_VALUE, HALF_WAY, HALF_WAY_EMAIL};
use crate::generate::requests::InvoiceFields;
use crate::generate::{files, requests as make};

/// What a business has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    compliance: bool,
    contract: bool,
    bank: bool,
    account: bool,
    /// Whether a tax id was sent for it.
    has_tax_id: bool,
    /// Whether one was found wrong. Whether the same one clears again is not shown: the vendor gives another one, once.
    had_wrong_one: bool,
    is_invited: bool,
    /// Whether the vendor has an account.
    is_claimed: bool,
    is_test: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Ask {
    Sync,
    SyncTaxId,
    SetPayoutAccount,
    Quote,
    SyncInvoice,
    Import,
    Advance,
    Invite,
    CreateSession,
    AcceptInvitation,
    ConfirmTaxId,
    Sign,
    AddBankAccount,
    FindTaxIdWrong,
    OpenAccount,
    MarkTestAccount,
}

impl ask::Ask for Ask {
    type State = State;
    /// Compliance, contract, bank, collection account.
    type Shown = [bool; 4];

    const FIRST: State = State {
        compliance: false,
        contract: false,
        bank: false,
        account: false,
        has_tax_id: false,
        had_wrong_one: false,
        is_invited: false,
        is_claimed: false,
        is_test: false,
    };

    fn all() -> Vec<Ask> {
        vec![
            Ask::Sync,
            Ask::SyncTaxId,
            Ask::SetPayoutAccount,
            Ask::Quote,
            Ask::SyncInvoice,
            Ask::Import,
            Ask::Advance,
            Ask::Invite,
            Ask::CreateSession,
            Ask::AcceptInvitation,
            Ask::ConfirmTaxId,
            Ask::Sign,
            Ask::AddBankAccount,
            Ask::FindTaxIdWrong,
            Ask::OpenAccount,
            Ask::MarkTestAccount,
        ]
    }

    fn shown(state: State) -> [bool; 4] {
        [state.compliance, state.contract, state.bank, state.account]
    }

    fn asked(self) -> Asked {
        match self {
            Ask::Sync | Ask::SyncTaxId => Asked::Operation(OperationKind::SyncBusiness),
            Ask::SetPayoutAccount => Asked::Operation(OperationKind::SetPayoutAccount),
            Ask::Quote => Asked::Operation(OperationKind::Quote),
            Ask::SyncInvoice => Asked::Operation(OperationKind::SyncInvoice),
            Ask::Import => Asked::Operation(OperationKind::ImportInvoices),
            Ask::Advance => Asked::Operation(OperationKind::RequestAdvance),
            Ask::Invite => Asked::Operation(OperationKind::Invite),
            Ask::CreateSession => Asked::Operation(OperationKind::CreateOnboardingSession),
            Ask::AcceptInvitation => Asked::Action(ActionKind::VendorAcceptsInvitation),
            Ask::ConfirmTaxId => Asked::Action(ActionKind::VendorConfirmsTaxId),
            Ask::Sign => Asked::Action(ActionKind::VendorSignsAgreement),
            Ask::AddBankAccount => Asked::Action(ActionKind::VendorAddsBankAccount),
            Ask::FindTaxIdWrong => Asked::Action(ActionKind::TaxIdFoundWrong),
            Ask::OpenAccount => Asked::Action(ActionKind::CollectionAccountOpens),
            Ask::MarkTestAccount => Asked::Action(ActionKind::MarkTestAccount),
        }
    }

    fn leads_to(self, mut state: State) -> Option<State> {
        match self {
            // Whether a sync, or the vendor alone, corrects one that was found wrong is not shown.
            Ask::SyncTaxId if state.had_wrong_one && !state.compliance => return None,
            Ask::SyncTaxId if !state.has_tax_id => {
                (state.has_tax_id, state.compliance) = (true, true);
            }
            Ask::SetPayoutAccount => state.bank = true,
            Ask::Invite => state.is_invited = true,
            Ask::AcceptInvitation if state.is_invited => {
                (state.is_invited, state.is_claimed) = (false, true);
            }
            Ask::ConfirmTaxId if state.is_claimed => {
                (state.has_tax_id, state.compliance) = (true, true);
            }
            Ask::Sign if state.is_claimed => state.contract = true,
            Ask::AddBankAccount if state.is_claimed => state.bank = true,
            Ask::FindTaxIdWrong if state.compliance && state.had_wrong_one => return None,
            Ask::FindTaxIdWrong if state.compliance => {
                (state.had_wrong_one, state.compliance) = (true, false);
            }
            Ask::OpenAccount if state.compliance && state.contract && state.bank => {
                state.account = true;
            }
            Ask::MarkTestAccount => state.is_test = true,
            _ => {}
        }
        Some(state)
    }

    fn writes_nothing_in(self, state: State) -> bool {
        match self {
            Ask::Quote => true,
            Ask::Advance => !state.account || !state.compliance,
            Ask::AcceptInvitation | Ask::FindTaxIdWrong | Ask::OpenAccount => {
                self.leads_to(state) == Some(state)
            }
            // The vendor may do it again.
            Ask::Sign | Ask::ConfirmTaxId | Ask::AddBankAccount => !state.is_claimed,
            _ => false,
        }
    }

    fn step(self, state: State, subject: &Subject) -> Step {
        let business = &subject.name();
        let tax_ids = if state.had_wrong_one { 166_000_000 } else { 165_000_000 };
        let tax_id = (tax_ids + subject.number).to_string();
        match self {
            Ask::Sync => make::sync_business(business, HALF_WAY, None, None),
            Ask::SyncTaxId => make::sync_business(business, HALF_WAY, Some(&tax_id), None),
            Ask::SetPayoutAccount => {
                make::set_payout_account(business, "000123456", "021000021", None)
            }
            Ask::Quote => make::quote(business, FACE_VALUE),
            Ask::SyncInvoice => make::sync_invoice(INVOICE, &InvoiceFields::of(business)),
            Ask::Import => {
                make::import(business, files::row_of(business, INVOICE, "ISSUED", FACE_VALUE))
            }
            Ask::Advance => make::request_advance(business, INVOICE),
            Ask::Invite => make::invite(business, HALF_WAY_EMAIL),
            Ask::CreateSession => make::create_session(business),
            Ask::AcceptInvitation => make::accept_invitation(business, HALF_WAY_EMAIL),
            Ask::ConfirmTaxId => {
                make::confirm_tax_id(business, VendorRoute::W9Upload, Some(&tax_id))
            }
            Ask::Sign => make::sign_agreement(business, &make::full_address()),
            Ask::AddBankAccount => make::add_bank_account(business, "000987654"),
            Ask::FindTaxIdWrong => make::act_on(ActionKind::TaxIdFoundWrong, business),
            Ask::OpenAccount => make::act_on(ActionKind::CollectionAccountOpens, business),
            Ask::MarkTestAccount => {
                make::act(ActionKind::MarkTestAccount, json!({ "externalId": business }))
            }
        }
    }

    fn begun(subject: &Subject) -> Vec<Step> {
        vec![Ask::Sync.step(Self::FIRST, subject), Self::read(subject)]
    }

    fn read(subject: &Subject) -> Step {
        make::get_business(&subject.name())
    }
}

const INVOICE: &str = "h";
