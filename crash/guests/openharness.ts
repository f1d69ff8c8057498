// A shell of OpenHarness whose request is cut by a fault: it is sent again until it is answered, and has one answer.
import { RepeatableCommand } from '../command.ts'
import { request } from '../http.ts'
import type { GuestMaker } from './guest.ts'

export const openHarnessGuest: GuestMaker = (world) => ({
  round: (number) => {
    const place = world.placeOf('ada', `shell-${number}`)
    const plan = {
      place: place.id,
      steps: [{ say: 'I look at it. ', calls: ['read1'] }, { say: 'That is all.' }],
      paceMs: 15,
    }
    const message = {
      protocol_version: '1.0.0',
      request_id: place.id,
      capabilities: {},
      request: {
        context: {
          session_id: place.id,
          user_intent: JSON.stringify(plan),
          task_hint: { plugin_id: place.agent },
        },
      },
    }
    const command = new RepeatableCommand(place.id, async () => {
      const answer = await request(place, '/v1/openharness', { body: message })
      if (answer === null || answer.status === 503) return null
      return { isAcknowledged: answer.status === 200, answer: JSON.stringify(answer.body, withoutLatency) }
    })
    return {
      begin: () => command.begin(),
      settle: async () => {
        const outcome = await command.repeat(world.tally)
        const said = String(outcome?.answer).includes('I look at it. [read1=ok]That is all.')
        world.tally.check('11', said, () => `${place.id} was answered with ${String(outcome?.answer).slice(0, 500)}`)
      },
    }
  },
})

/** Each request has its own latency. */
const withoutLatency = (name: string, value: unknown): unknown => (name === 'engine_latency_ms' ? undefined : value)
