package tideover_test

import (
	"testing"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

func TestAnAdvanceIsRepaid(t *testing.T) {
	world := tideover.NewWorld(t, tideover.Scenario("onboarded"))
	webhooks := tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	advance := tideover.Fields{"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}
	world.Request("POST", "/v1/advances", advance, nil)
	world.UntilQuiet() // The advance is funded.
	world.PayorPays("acme", "INV-1", 1_000_000)
	webhooks.WaitFor(tideover.Expected{Event: "partner.loan.paid", Payee: "acme", Invoice: "INV-1"})
}
