// SPDX-License-Identifier: MIT OR Apache-2.0

package example

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

var (
	invoice = Key{"acme", "INV-7"}
	fields  = InvoiceSync{
		Payee:     Party{"acme", "Acme Ltd"},
		Payor:     Party{"globex", "Globex Inc"},
		Status:    "ISSUED",
		FaceValue: 1_000_000,
		IssueDate: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
		DueDate:   time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC),
	}
	ctx = context.Background()
)

// integration is the example, against a world of its own.
type integration struct {
	*testing.T
	world    *tideover.World
	partner  *Partner
	books    *Books
	endpoint *endpoint
}

func integrated(t *testing.T) integration {
	t.Parallel()
	books := NewBooks()
	endpoint := listen(t, books)
	world := tideover.NewWorld(t)
	return integration{t, world, &Partner{URL: world.URL, Key: world.Key}, books, endpoint}
}

func (i integration) must(err error) {
	i.Helper()
	if err != nil {
		i.Fatal(err)
	}
}

func (i integration) subscribe() string {
	i.Helper()
	secret, err := i.partner.Subscribe(ctx, i.endpoint.URL)
	i.must(err)
	i.books.Believe(secret)
	return secret
}

func (i integration) onboard() {
	i.Helper()
	i.must(i.partner.SyncVendor(ctx, "acme", "Acme Ltd", "12-3456789"))
	i.must(i.partner.SetPayoutAccount(ctx, "acme", "000123456789", "021000021"))
	i.must(i.partner.SyncInvoice(ctx, "INV-7", fields))
	i.must(i.partner.Invite(ctx, "acme", "ada@acme.example"))
	i.world.VendorCompletesOnboarding("acme")
}

func (i integration) quote() Offer {
	i.Helper()
	offer, err := i.partner.Quote(ctx, "acme", 1_000_000)
	i.must(err)
	return offer
}

func (i integration) requestAdvance() Advance {
	i.Helper()
	advance, err := i.partner.RequestAdvance(ctx, "acme", "INV-7")
	i.must(err)
	return advance
}

func TestAnAdvanceIsRepaid(t *testing.T) {
	i := integrated(t)
	i.subscribe()
	i.must(i.partner.SyncVendor(ctx, "acme", "Acme Ltd", "12-3456789"))
	equal(t, i.quote().Fundable, false)
	i.onboard()
	quoted := i.quote()
	equal(t, quoted.Fundable, true)
	advance := i.requestAdvance()
	equal(t, advance.AdvanceAmount, quoted.AdvanceAmount)
	vendor, err := i.partner.ReadVendor(ctx, "acme")
	i.must(err)
	equal(t, *vendor.Remittance, advance.Remittance)
	i.world.UntilQuiet()
	i.world.PayorPays("acme", "INV-7", 1_000_000)
	equal(t, len(i.world.WaitForDeliveries()), 0)
	read, err := i.partner.ReadInvoice(ctx, "acme", "INV-7")
	i.must(err)
	equal(t, read.Advance.State, "REPAID")
	equal(t, i.books.Advance(invoice), State{4, "REPAID"})
	equal(t, i.books.Paid(), []Key{invoice})
	equal(t, len(i.world.Unexpected()), 0)
	i.world.AssertGoodConduct()
}

func TestWhatComesLateOrTwiceChangesNothing(t *testing.T) {
	i := integrated(t)
	i.subscribe()
	i.onboard()
	equal(t, len(i.world.WaitForDeliveries()), 0)
	// Both events of the request come late: after those of the funding, which overtake them.
	i.endpoint.goDown(2)
	i.requestAdvance()
	equal(t, len(i.world.WaitForDeliveries()), 2)
	i.world.FundingStarts("acme", "INV-7")
	funding := tideover.Expected{Event: "partner.invoice.factoredUpdated", Invoice: "INV-7", State: "FUNDING"}
	i.world.ExpectDelivery(funding)
	i.world.Advance(5 * time.Second)
	equal(t, len(i.world.WaitForDeliveries()), 0)
	equal(t, i.books.Ignored(), []string{"out of date"})
	equal(t, i.books.Advance(invoice), State{2, "FUNDING"})

	i.world.Resend(i.world.ExpectDelivery(tideover.Expected{Event: "partner.loan.created"}))
	equal(t, len(i.world.WaitForDeliveries()), 0)
	equal(t, i.books.Ignored(), []string{"out of date", "repeated"})
}

func TestALostAnswerCostsNothing(t *testing.T) {
	i := integrated(t)
	for _, operation := range []string{"sync_business", "sync_invoice", "request_advance", "subscribe", "unsubscribe"} {
		i.world.Fault(tideover.Fault{Act: "connectionDrops", When: "afterCommit", Operation: operation, Nth: 1})
	}
	i.world.Fault(tideover.Fault{Act: "upstreamFails", When: "beforeCommit", Operation: "quote", Nth: 1})
	equal(t, strings.HasPrefix(i.subscribe(), "whsec_"), true)
	i.onboard()
	equal(t, i.quote().Fundable, true)
	equal(t, i.requestAdvance().AlreadyRequested, true)
	equal(t, i.world.CountRequests(tideover.JournalFilter{Fault: "connectionDrops.afterCommit"}), 5)
	// The test does without pauses.
	i.world.AssertGoodConduct("backs-off")
}

func TestASubscriptionWithoutItsSecretIsMadeAgain(t *testing.T) {
	i := integrated(t)
	i.world.Fault(tideover.Fault{Act: "upstreamFails", When: "afterCommit", Operation: "subscribe", Nth: 1})
	lost := i.subscribe()
	equal(t, lost != i.subscribe(), true)
	i.must(i.partner.SyncVendor(ctx, "acme", "Acme Ltd", "12-3456789"))
	i.world.ExpectDelivery(tideover.Expected{Event: "partner.organization.added"})
	i.world.AssertGoodConduct("backs-off")
}

func TestARefusalIsNotRepeated(t *testing.T) {
	i := integrated(t)
	_, err := i.partner.RequestAdvance(ctx, "acme", "INV-7")
	var declined *Declined
	equal(t, errors.As(err, &declined), true)
	equal(t, declined.Code, "business_not_found")
	equal(t, i.world.CountRequests(tideover.JournalFilter{Operation: "request_advance"}), 1)
}

func TestAForgeryIsRefused(t *testing.T) {
	books := NewBooks()
	books.Believe("whsec_1")
	header := http.Header{}
	header.Set("Service-Signature", "t=1,v1="+strings.Repeat("0", 64))
	header.Set("Service-Delivery", "dlv_1")
	equal(t, books.Receive(header, []byte("{}")), 401)
	equal(t, len(books.done), 0)
}
