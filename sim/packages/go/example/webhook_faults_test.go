package example

import (
	"reflect"
	"testing"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

// newest is the event of each invoice that has the greatest sequence.
func newest(events []tideover.Event) map[[2]string]tideover.Event {
	newest := map[[2]string]tideover.Event{}
	for _, event := range events {
		invoice := [2]string{event.Data.PayeeExternalID, event.Data.InvoiceExternalID}
		if event.Type == "partner.invoice.factoredUpdated" && event.Sequence > newest[invoice].Sequence {
			newest[invoice] = event
		}
	}
	return newest
}

var advance = tideover.Fields{"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}

func TestAnOlderStateNeverWins(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t, tideover.Scenario("onboarded")), tideover.NewWebhooks(t)
	webhooks.Subscribe(world, "partner.invoice.factoredUpdated")
	world.Fault(tideover.Fault{Act: "deliverySwapped", Event: "partner.invoice.factoredUpdated", Nth: 2})
	world.Request("POST", "/v1/advances", advance, nil)
	world.UntilQuiet()
	var sequences []int64
	for _, event := range webhooks.Events() {
		sequences = append(sequences, event.Sequence)
	}
	if !reflect.DeepEqual(sequences, []int64{1, 3, 2}) {
		t.Errorf("they came as %v", sequences)
	}
	if held := newest(webhooks.Events())[[2]string{"acme", "INV-1"}]; held.Data.State != "FUNDED" {
		t.Errorf("funded, and it has %+v", held)
	}
}

func TestARepeatedDeliveryIsOneEvent(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t, tideover.Scenario("onboarded")), tideover.NewWebhooks(t)
	webhooks.Subscribe(world, "partner.loan.issued")
	world.Fault(tideover.Fault{Act: "deliveryDuplicated", Event: "partner.loan.issued", Nth: 1})
	world.Request("POST", "/v1/advances", advance, nil)
	world.UntilQuiet()
	received := webhooks.Deliveries()
	if len(received) != 2 || received[0].IsDuplicate || !received[1].IsDuplicate {
		t.Errorf("it came as %v", received)
	}
	if events := webhooks.Events(); len(events) != 1 {
		t.Errorf("it became %d events", len(events))
	}
}
