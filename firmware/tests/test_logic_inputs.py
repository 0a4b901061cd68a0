"""Contacts, the table button, and edges no machine makes."""

import unittest

from tests.logic_fakes import Orders, Sink, factory

from tablelogic.core.inputs import Contact, Inputs, Plausible
from tablelogic.core.role import Role
from tablewire import codes, roulette
from tablewire import messages as m

TICK_MS = 40


class ContactTest(unittest.TestCase):
    def test_it_closes_after_a_tenth_of_a_second(self):
        """99 ms are nothing; 100 ms are a closed contact, reported once."""
        contact = Contact()
        contact.edge(1, 1000)
        self.assertFalse(contact.tick(1099))
        self.assertTrue(contact.tick(1100))
        self.assertFalse(contact.tick(1140))
        self.assertTrue(contact.closed)

    def test_it_opens_after_a_second_of_rest(self):
        """A short gap does not open it."""
        contact = Contact()
        contact.edge(1, 0)
        contact.tick(100)
        contact.edge(0, 200)
        contact.edge(1, 700)
        contact.edge(0, 750)
        self.assertFalse(contact.tick(1749))
        self.assertTrue(contact.tick(1750))
        self.assertFalse(contact.closed)

    def test_a_level_reported_twice_is_one(self):
        """The time runs from the first."""
        contact = Contact()
        contact.edge(1, 0)
        contact.edge(1, 90)
        self.assertTrue(contact.tick(100))

    def test_a_rattle_is_nothing(self):
        """Pulses of 50 ms never close it."""
        contact = Contact()
        for start in range(0, 1000, 100):
            contact.edge(1, start)
            self.assertFalse(contact.tick(start + 40))
            contact.edge(0, start + 50)
            self.assertFalse(contact.tick(start + 80))


class PlausibleTest(unittest.TestCase):
    @staticmethod
    def after(edges):
        """Counted after so many (sensor, times) in turn, since the last tick."""
        odd = Plausible(24)
        for sensor, times in edges:
            for _ in range(times):
                odd.edge(sensor)
        return odd

    def test_the_limit(self):
        """Twenty-four edges in a tick are possible, of one sensor or of all; one more is not."""
        self.assertFalse(self.after([(3, 24)]).is_burst(1000, 40))
        self.assertFalse(self.after([(3, 12), (0, 6), (1, 6)]).is_burst(1000, 40))
        self.assertTrue(self.after([(3, 25)]).is_burst(1000, 40))
        self.assertTrue(self.after([(3, 12), (0, 7), (1, 6)]).is_burst(1000, 40))

    def test_a_late_tick(self):
        """Half a second holds the edges of twelve ticks."""
        self.assertFalse(self.after([(3, 288)]).is_burst(1440, 480))
        self.assertTrue(self.after([(3, 289)]).is_burst(1440, 480))

    def test_counts_begin_anew(self):
        odd = self.after([(3, 24)])
        odd.begin()
        odd.edge(3)
        self.assertEqual((odd.edges, odd.is_burst(1000, 40)), (1, False))

    def test_most_edges_lead(self):
        """Whatever the order, the sensor with more than half of the edges is named."""
        self.assertEqual(self.after([(0, 5), (4, 30), (1, 6)]).leader, 4)
        self.assertEqual(self.after([(4, 1), (0, 1)] * 10 + [(4, 1)]).leader, 4)
        self.assertEqual(self.after([(0, 9), (1, 9), (4, 19)]).leader, 4)

    def test_quiet_again(self):
        """More than five seconds after the last burst."""
        odd = self.after([(0, 30)])
        self.assertTrue(odd.is_burst(1000, 40))
        self.assertFalse(odd.is_quiet(6000))
        self.assertTrue(odd.is_quiet(6001))


class Pressed(Role):
    """A role with the inputs alone, which notes what a short press asks of it."""

    def __init__(self, cfg, control):
        super().__init__(cfg, Sink())
        self.control = control
        self.inputs = Inputs(cfg, control, self.edges_most)

    def open_bets(self, t_us):
        self.control.asked.append(("open",))

    def close_bets(self, cause, t_us):
        self.control.asked.append(("close", cause))


class Panel:
    """The inputs of a table, ticked every 40 ms. sensors held: those set with `set`."""

    def __init__(self, phase=m.PHASE_BETS_OPEN, **changed):
        self.control = Orders(phase)
        self.role = Pressed(factory(**changed), self.control)
        self.inputs = self.role.inputs

    def set(self, sensor, level):
        self.role.contact(sensor, level, self.control.now_ms * 1000)

    def tick(self, ms=TICK_MS):
        self.control.now_ms += ms
        self.control.step_ms = ms
        self.inputs.tick()

    def wait(self, for_ms):
        """Let time pass; what the table was asked, but for clearing what may not stand."""
        for _ in range(for_ms // TICK_MS):
            self.tick()
        quiet = ("clear", codes.SENSOR_IMPLAUSIBLE)
        return [order for order in self.control.take() if order != quiet]

    def press(self, for_ms):
        """Hold the button for so long; what the table was asked."""
        self.set(m.INPUT_BUTTON, 1)
        asked = self.wait(for_ms)
        self.set(m.INPUT_BUTTON, 0)
        return asked + self.wait(80)


class ButtonTest(unittest.TestCase):
    def test_a_short_press_opens_when_closed(self):
        """Reported when it is let go."""
        self.assertEqual(Panel(m.PHASE_CLOSED).press(400), [("open",)])

    def test_a_short_press_closes_the_bets_else(self):
        """In every other phase it is the croupier's word; the table may refuse it."""
        for phase in range(m.PHASE_BETS_OPEN, roulette.PHASE_DROPPED + 1):
            asked = Panel(phase).press(400)
            self.assertEqual(asked, [("close", m.CLOSE_CAUSE_CROUPIER)])

    def test_a_long_press_voids(self):
        """At 1.5 s, once; letting it go afterwards does nothing more."""
        panel = Panel()
        panel.set(m.INPUT_BUTTON, 1)
        self.assertEqual(panel.wait(1480), [])
        void = ("void", codes.CROUPIER_VOID, m.INPUT_BUTTON)
        self.assertEqual(panel.wait(4000), [void])
        panel.set(m.INPUT_BUTTON, 0)
        self.assertEqual(panel.wait(400), [])

    def test_bounce_does_not_make_a_press_longer(self):
        """A level reported twice keeps the first moment; a release without a press is none."""
        panel = Panel()
        panel.set(m.INPUT_BUTTON, 0)
        self.assertEqual(panel.wait(80), [])
        panel.set(m.INPUT_BUTTON, 1)
        panel.wait(800)
        panel.set(m.INPUT_BUTTON, 1)
        self.assertEqual(len(panel.wait(720)), 1)

    def test_a_contact_that_bounces_is_pressed_once(self):
        """2 ms of bounce at each end; a spike of 19 ms and hum of the mains are no press."""
        for at_us in (0, 39_000):  # the second across a tick
            panel = Panel(m.PHASE_CLOSED)
            panel.tick()
            for after_us, level in ((0, 1), (700, 0), (2000, 1)):
                panel.role.contact(m.INPUT_BUTTON, level, 40_000 + at_us + after_us)
            panel.wait(160)
            for after_us, level in ((0, 0), (900, 1), (2000, 0)):
                panel.role.contact(m.INPUT_BUTTON, level, 200_000 + at_us + after_us)
            self.assertEqual(panel.wait(80), [("open",)])
        panel = Panel(m.PHASE_CLOSED)
        for start_us, length_us in ((0, 19_000), (40_000, 10_000), (60_000, 10_000)):
            panel.role.contact(m.INPUT_BUTTON, 1, start_us)
            panel.role.contact(m.INPUT_BUTTON, 0, start_us + length_us)
        self.assertEqual(panel.wait(80), [])
        panel.role.contact(m.INPUT_BUTTON, 1, (1 << 30) - 10_000)
        panel.role.contact(m.INPUT_BUTTON, 0, 10_000)
        self.assertEqual(panel.wait(80), [("open",)])


class ContactFaultTest(unittest.TestCase):
    PAIRS = (
        (m.INPUT_TILT, codes.TILT, "tilt_fitted"),
        (m.INPUT_DOME, codes.DOME_OPEN, "dome_fitted"),
    )

    def test_closed_raises_open_clears(self):
        """Tilt and dome: within 0.14 s raised, 1 s of rest clears."""
        for sensor, code, _ in self.PAIRS:
            panel = Panel()
            panel.set(sensor, 1)
            self.assertEqual(panel.wait(120), [("raise", code, sensor, 1, 0)])
            self.assertEqual(panel.wait(5000), [])
            panel.set(sensor, 0)
            self.assertEqual(panel.wait(960), [])
            self.assertEqual(panel.wait(80), [("clear", code)])

    def test_not_fitted(self):
        """An input that is not fitted is not believed."""
        for sensor, _, key in self.PAIRS:
            panel = Panel(**{key: 0})
            panel.set(sensor, 1)
            self.assertEqual(panel.wait(2000), [])

    def test_a_knock_is_no_tilt(self):
        """50 ms."""
        panel = Panel()
        panel.set(m.INPUT_TILT, 1)
        panel.wait(40)
        panel.set(m.INPUT_TILT, 0)
        self.assertEqual(panel.wait(2000), [])


class BurstTest(unittest.TestCase):
    def test_raised_at_once_and_cleared_in_quiet(self):
        """Twenty-five edges of rim 2 in a tick: with sensor, edges and limit."""
        panel = Panel()
        for _ in range(25):
            panel.inputs.plausible.edge(roulette.INPUT_RIM_2)
        panel.tick()
        expected = ("raise", codes.SENSOR_IMPLAUSIBLE, roulette.INPUT_RIM_2, 25, 24)
        self.assertEqual(panel.control.take(), [expected])
        for _ in range(125):
            panel.tick()
        self.assertEqual(panel.control.take(), [])
        panel.tick(1)
        self.assertEqual(panel.control.take(), [("clear", codes.SENSOR_IMPLAUSIBLE)])


if __name__ == "__main__":
    unittest.main()
