// Durable agents of the Worker under test, and a ledger of what they really did, which outlives the objects since it belongs
// to the isolate.

import { agent } from '@bridle/agents/agent'
import { subagent } from '@bridle/agents/subagents/subagent'
import { scriptedModel } from '@bridle/agents/testing/index'
import { tool } from '@bridle/agents/tools/tool'
import * as v from 'valibot'

const ledgers = new Map<string, string[]>()

/** The deeds of a session's agent, in order. */
export const ledgerOf = (id: string): readonly string[] => ledgers.get(id) ?? []

const record = async <T>(id: string, deed: string, result: T): Promise<T> => {
  ledgers.set(id, [...ledgerOf(id), deed])
  // The deed takes a turn of the event loop, so that an end may come between.
  await new Promise((resolve) => setTimeout(resolve, 0))
  return result
}

/** Quotes, pays, picks two parts at once, asks whether to ship, and rests before it does. */
export const clerk = agent({
  name: 'clerk',
  run: async ({ session }) => {
    const { id } = session
    await session.text('Quoted ')
    const price = await session.step('quote', () => record(id, 'quote', 7))
    await session.text(`${price}, `)
    const receipt = await session.tool('pay', { price }, () => record(id, 'pay', `receipt-${price}`))
    const parts = await Promise.all(
      ['left', 'right'].map((part) =>
        session.tool('pick', { part }, () => record(id, `pick ${part}`, part), { effect: 'pure' }),
      ),
    )
    const ships = await session.approval({ subject: 'ship', reason: 'The parcel is packed.' })
    await session.sleep('collect', 30)
    if (!ships.approved) return 'kept'
    const parcel = await session.tool('ship', { parts }, () => record(id, 'ship', 'parcel'), { effect: 'idempotent' })
    await session.text('shipped.')
    return { receipt, parcel }
  },
})

/** Books, waits for a signal, and delivers with an approval of its call. */
export const courier = agent({
  name: 'courier',
  run: async ({ session }) => {
    const { id } = session
    const booking = await session.tool('book', {}, () => record(id, 'book', 'b-1'), { effect: 'idempotent' })
    await session.text(`Booked ${booking}. `)
    const door = await session.waitFor<{ name: string }>('door')
    const slip = await session.step('slip', () => record(id, 'slip', `for ${door?.name}`))
    const signed = await session.tool('deliver', { slip }, () => record(id, 'deliver', 'signed'), { approve: true })
    await session.text(`Delivered ${slip}.`)
    return signed
  },
})

/** Naps as long as it is told to. */
export const sleeper = agent({
  name: 'sleeper',
  input: v.object({ napMs: v.number() }),
  run: async ({ input, session }) => {
    const { id } = session
    await session.step('lie down', () => record(id, 'lie down', null))
    await session.sleep('nap', input.napMs)
    return session.step('get up', () => record(id, 'get up', 'rested'))
  },
})

/** Looks twice at once, pays, ships with an approval, and answers. The prompt is the session's id, under which the model records its work. */
export const analyst = agent({
  name: 'analyst',
  model: scriptedModel(async ({ prompt, step }) => {
    await record(prompt, `think ${step}`, null)
    const answers = [
      { text: 'Looking. ', calls: ['left', 'right'].map((side) => ({ tool: 'look', input: { side } })) },
      { calls: [{ tool: 'pay', input: { price: 7 } }] },
      { text: 'Paid. ', calls: [{ tool: 'ship' }] },
      { text: 'All done.' },
    ]
    return answers[step - 1] ?? { text: 'Nothing is left to do.' }
  }),
  tools: [
    tool({
      name: 'look',
      description: 'Looks at a side.',
      effect: 'pure',
      run: (input, { session }) => record(session.id, `look ${(input as { side: string }).side}`, { seen: true }),
    }),
    tool({ name: 'pay', description: 'Pays.', run: (_input, { session }) => record(session.id, 'pay', 'receipt-7') }),
    tool({
      name: 'ship',
      description: 'Ships.',
      input: v.object({ boxes: v.optional(v.number()) }),
      effect: 'idempotent',
      approve: true,
      run: (_input, { session }) => record(session.id, 'ship', 'parcel'),
    }),
  ],
})

/** Packs, and moves with an approval. */
const mover = agent({
  name: 'mover',
  model: scriptedModel(({ prompt, step }) => {
    const answers = [
      { calls: [{ tool: 'pack', input: { what: prompt } }] },
      { calls: [{ tool: 'move', input: { what: prompt } }] },
      { text: `Moved ${prompt}.` },
    ]
    return answers[step - 1] ?? { text: 'Nothing is left to do.' }
  }),
  tools: ['pack', 'move'].map((name) =>
    tool({
      ...{ name, description: `Does ${name}.`, effect: 'idempotent', approve: name === 'move' },
      run: (input, { session }) => record(session.id, `${name} ${(input as { what: string }).what}`, 'done'),
    }),
  ),
})

/** Asks two movers at once. */
export const foreman = agent({
  name: 'foreman',
  use: [subagent({ agents: [mover] })],
  model: scriptedModel(({ prompt, step, results }) =>
    step === 1
      ? { calls: ['desk', 'bed'].map((thing) => ({ tool: 'ask_mover', input: { task: `${prompt}/${thing}` } })) }
      : { text: results.map(({ output }) => ('value' in output ? output.value : '')).join(' ') },
  ),
})
