// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

// What the outside world does. Identifiers are those of the platform (§1 rule 2).

// Act plays an action of the operator port by its name, with the fields that it has there, and decodes what came of it
// unless answer is nil.
func (w *World) Act(action string, fields Fields, answer any) {
	w.t.Helper()
	body := Fields{"action": action}
	for name, value := range fields {
		body[name] = value
	}
	w.port("POST", "actions", body, answer)
}

// An Address is complete with line 1, city, state and postal code (`gap.addressKnown`).
type Address struct {
	Line1      string `json:"line1"`
	Line2      string `json:"line2,omitempty"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postalCode"`
}

// Paid is what became of a payment, in cents.
type Paid struct {
	// Applied are the cents collected on the invoice.
	Applied int64
	// Suspense are the cents beyond its face value.
	Suspense int64
}

// VendorAcceptsInvitation lets the invited person follow the link (§4 POST /v1/invitations).
func (w *World) VendorAcceptsInvitation(payee, email string) {
	w.t.Helper()
	w.Act("vendorAcceptsInvitation", Fields{"payeeExternalId": payee, "email": email}, nil)
}

// VendorConfirmsTaxID clears compliance by the route VENDOR_ASSERTION or W9_UPLOAD (§3 Onboarding requirements). An
// empty tax id is the one on file.
func (w *World) VendorConfirmsTaxID(payee, route, taxID string) {
	w.t.Helper()
	fields := Fields{"payeeExternalId": payee, "route": route}
	if taxID != "" {
		fields["taxId"] = taxID
	}
	w.Act("vendorConfirmsTaxId", fields, nil)
}

// VendorSignsAgreement signs the contract, after an invitation (§3 Onboarding requirements). With the address on it, a
// collection account can open; nil is none.
func (w *World) VendorSignsAgreement(payee string, address *Address) {
	w.t.Helper()
	fields := Fields{"payeeExternalId": payee}
	if address != nil {
		fields["address"] = address
	}
	w.Act("vendorSignsAgreement", fields, nil)
}

// VendorAddsBankAccount adds an account of 4 to 17 digits for the advances, unless the platform has set one (§3 rule
// 3). A routing number has nine digits (§8).
func (w *World) VendorAddsBankAccount(payee, accountNumber, routingNumber string) {
	w.t.Helper()
	fields := Fields{"payeeExternalId": payee, "accountNumber": accountNumber, "routingNumber": routingNumber}
	w.Act("vendorAddsBankAccount", fields, nil)
}

// VendorCompletesOnboarding lets the vendor and the bank do all that is left of the four requirements (§3 rule 2). It
// returns the names of these actions.
func (w *World) VendorCompletesOnboarding(payee string) []string {
	w.t.Helper()
	var done struct{ Steps []string }
	w.Act("vendorCompletesOnboarding", Fields{"payeeExternalId": payee}, &done)
	return done.Steps
}

// VendorOpensSession opens the link of an onboarding session (§4 POST /v1/onboarding-sessions). It is refused while
// such links lead nowhere.
func (w *World) VendorOpensSession(link string) {
	w.t.Helper()
	w.Act("vendorOpensSession", Fields{"url": link}, nil)
}

// CollectionAccountOpens opens the account at once, instead of after some minutes (§3 rule 4).
func (w *World) CollectionAccountOpens(payee string) {
	w.t.Helper()
	w.Act("collectionAccountOpens", Fields{"payeeExternalId": payee}, nil)
}

// FundingStarts sends the money of an advance on its way at once, instead of after 30 seconds (§3 Financing state).
func (w *World) FundingStarts(payee, invoice string) {
	w.t.Helper()
	w.Act("fundingStarts", Fields{"payeeExternalId": payee, "invoiceExternalId": invoice}, nil)
}

// FundingCompletes lets the money reach the vendor at once, instead of after an hour (§3 Financing state).
func (w *World) FundingCompletes(payee, invoice string) {
	w.t.Helper()
	w.Act("fundingCompletes", Fields{"payeeExternalId": payee, "invoiceExternalId": invoice}, nil)
}

// PayorPays pays so many cents of an invoice into the collection account (§1).
func (w *World) PayorPays(payee, invoice string, cents int64) Paid {
	w.t.Helper()
	var paid Paid
	fields := Fields{"payeeExternalId": payee, "invoiceExternalId": invoice, "amount": cents}
	w.Act("payorPays", fields, &paid)
	return paid
}

// TaxIDFoundWrong asks for a correction: compliance is no longer cleared (§4 PUT /v1/organizations/{externalId}).
func (w *World) TaxIDFoundWrong(payee string) {
	w.t.Helper()
	w.Act("taxIdFoundWrong", Fields{"payeeExternalId": payee}, nil)
}

// InterruptNextImport stops the next import after so many rows; the same file sent again resumes it (§4 PUT
// /v1/invoices/imports/{externalId}).
func (w *World) InterruptNextImport(afterRows int) {
	w.t.Helper()
	w.Act("interruptNextImport", Fields{"afterRows": afterRows}, nil)
}

// MarkTestAccount marks a business so that no money of it moves (§5 rule 5).
func (w *World) MarkTestAccount(business string) {
	w.t.Helper()
	w.Act("markTestAccount", Fields{"externalId": business}, nil)
}

// IssueKey issues an API key, and returns it (§5 rule 2). The platform is this one if it is empty; a new name makes a
// new one.
func (w *World) IssueKey(platform string) string {
	w.t.Helper()
	fields := Fields{}
	if platform != "" {
		fields["platform"] = platform
	}
	var issued struct{ Key string }
	w.Act("issueKey", fields, &issued)
	return issued.Key
}

// RevokeKey revokes an API key (§5 rule 3); that of this platform if it is empty.
func (w *World) RevokeKey(key string) {
	w.t.Helper()
	fields := Fields{}
	if key != "" {
		fields["key"] = key
	}
	w.Act("revokeKey", fields, nil)
}

// UpstreamFails lets so many requests of any caller fail with 502 (§7 Retrying rule 1).
func (w *World) UpstreamFails(requests int) {
	w.t.Helper()
	w.Act("upstreamFails", Fields{"requests": requests}, nil)
}
