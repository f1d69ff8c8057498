// The process is gone after every single commit of a run, in turn: three sessions of two agents, with two turns each, interleaved. The
// answers are those of a run that nothing disturbed, and the ledger has nothing twice that nobody was asked about.

import type { Key } from '@bridle/kernel/event'
import { flushPending } from '@bridle/kernel/host/host.suite'
import { expect, test } from 'vitest'
import { places } from '../../../../scripts/variants.ts'
import { type AgentFunction, background, DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

const shop: AgentFunction = async ({ input, session }, process) => {
  const name = `${session.id} ${input.prompt}`
  await session.text(`Order of ${input.prompt}. `)
  const order = await session.step('order', () => process.act(`order ${name}`, { id: `o-${name}` }))
  const receipts = await Promise.all(
    [1, 2].map((sum) =>
      session.tool('pay', { sum, order: order.id }, () => process.act(`pay ${sum} ${name}`, `paid ${sum}`)),
    ),
  )
  await session.text(`${receipts.join(' and ')}. `)
  await session.usage({ totalTokens: 5 })
  const sent = await session.tool('ship', { to: order.id }, ({ to }) => process.act(`ship ${name}`, `sent ${to}`), {
    approve: { reason: 'It leaves the house.' },
    effect: 'idempotent',
  })
  await session.sleep('wait', 30_000)
  const stars = await session.waitFor<number>('stars')
  await session.text(`${sent}, ${stars} stars.`)
}

const poet: AgentFunction = async ({ input, session }, process) => {
  const name = `${session.id} ${input.prompt}`
  await session.thinking(`On ${input.prompt}. `)
  const turns = ((await session.memory.get<number>('turns')) ?? 0) + 1
  await session.memory.set('turns', turns)
  const line = await session.tool(
    'write',
    { on: String(input.prompt) },
    () => process.act(`write ${name}`, `Poem ${turns}`),
    {
      effect: 'pure',
    },
  )
  await session.artifact('poem.txt', line)
  const { answers } = await session.ask([{ id: 'where', question: 'Where?', options: ['Paper', 'Wall'] }])
  const { approved } = await session.approval({ subject: 'publish', reason: 'The world will read it.' })
  await session.text(`${line} ${answers?.where} ${approved}, after ${(await session.messages()).length} messages`)
}

const agents = defineAgents({ shop, poet })

const keys = [keyOf('shop', 's1'), keyOf('shop', 's2'), keyOf('poet', 's3')]

const submitAll = async (process: DurableProcess): Promise<void> => {
  for (const prompt of ['first', 'second'])
    for (const [index, key] of keys.entries()) {
      if ((await process.events(key)).some(({ type, payload }) => type === 'prompt_queued' && payload.text === prompt))
        continue
      await process.host.send(key, {
        ...{ type: 'submit', prompt },
        ...(index === 1 && prompt === 'first' && { opening: background }),
      })
    }
}

/** Answers every question, sends each run its signal, and lets time pass, until all is done or the process is gone. */
const drive = async (process: DurableProcess): Promise<void> => {
  for (let round = 0; round < 60 && !process.isGone; round++) {
    let isBusy = false
    for (const key of keys) {
      const { state } = await process.host.open(key)
      const { run, queue } = state.lifecycle
      isBusy ||= run !== null || queue.length > 0
      for (const { id: approvalId, questions } of Object.values(state.approvals.open)) {
        const answer = questions ? { answers: { where: 'Wall' } } : {}
        void process.host.send(key, { type: 'approve', approvalId, decision: 'approved', ...answer }).catch(() => {})
      }
      if (run?.phase === 'started' && key.agent === 'shop' && !(await hasSignal(process, key, run.runId)))
        void process.host.send(key, { type: 'signal', name: 'stars', payload: 5 }).catch(() => {})
    }
    if (!isBusy) return
    await process.clock.pass(1_500)
    await flushPending()
  }
}

const hasSignal = async (process: DurableProcess, key: Key, runId: string): Promise<boolean> =>
  (await process.events(key)).some(({ type, run }) => type === 'signal_received' && run === runId)

/** A story from the first prompt to the last answer; each process is gone after so many commits. */
const play = async (...goneAfter: readonly number[]) => {
  let process = new DurableProcess(agents, { ...(goneAfter[0] !== undefined && { goneAfter: goneAfter[0] }) })
  await process.host.start()
  for (let life = 1; ; life++) {
    // A command whose process is gone has no answer.
    await Promise.race([submitAll(process), untilGone(process)])
    await drive(process)
    if (!process.isGone) break
    const next = goneAfter[life]
    process = await process.next({ ...(next !== undefined && { goneAfter: next }) })
  }
  const answers = await Promise.all(keys.map((key) => process.results(key)))
  const questions = (await Promise.all(keys.map((key) => process.payloads(key, 'approval_required')))).flat()
  const outcomes = (await Promise.all(keys.map((key) => process.payloads(key, 'tool_outcome')))).flat()
  const texts = (
    await Promise.all(keys.map(async (key) => (await process.host.open(key)).state.conversation.messages))
  ).map((messages) => messages.map(({ content }) => content))
  const shown = await Promise.all(keys.map((key) => shownWork(process, key)))
  return { process, answers, texts, questions, outcomes, shown, entries: process.ledger.entries }
}

/** The steps of all runs as people see them. */
const shownWork = async (process: DurableProcess, key: Key): Promise<readonly string[]> =>
  (await process.payloads(key, 'step_progress')).map(({ step_id: id, status, index }) => `${index} ${id} ${status}`)

const untilGone = async (process: DurableProcess): Promise<void> => {
  for (let tries = 0; !process.isGone && tries < 2_000; tries++) await flushPending(1)
}

test('[N14] [N50] [N51] [N52] [N54] [N56] [N236] [N246] the process is gone after every commit, and the answers are the same', async () => {
  const whole = await play()
  expect(whole.answers[0]).toEqual([
    'Order of first. paid 1 and paid 2. sent o-s1 first, 5 stars.',
    'Order of second. paid 1 and paid 2. sent o-s1 second, 5 stars.',
  ])
  expect(whole.answers[2]).toEqual(['Poem 1 Wall true, after 1 messages', 'Poem 2 Wall true, after 3 messages'])
  expect(new Set(whole.entries).size).toBe(whole.entries.length)
  const { commits } = whole.process
  expect(commits).toBeGreaterThan(60)
  for (const commit of places(commits)) {
    // Every third story loses its second process, too.
    const { answers, texts, entries, questions, outcomes, shown, process } = await play(
      commit,
      ...(commit % 3 === 0 ? [9] : []),
    )
    expect({ commit, answers, texts }).toEqual({ commit, answers: whole.answers, texts: whole.texts })
    expect({ commit, shown }).toEqual({ commit, shown: whole.shown })
    expect(process.faults).toEqual([])
    const unknown = questions.filter(({ kind }) => kind === 'unknown_outcome').length
    const payments = entries.filter((entry) => entry.startsWith('pay'))
    // An unsafe call is made again only where a person said so.
    expect(payments.length, `payments after commit ${commit}`).toBeLessThanOrEqual(8 + unknown)
    expect(new Set(entries)).toEqual(new Set(whole.entries))
    // Steps and safe calls may happen again if they were under way: once for each process that is gone.
    expect(entries.length, `effects after commit ${commit}`).toBeLessThanOrEqual(whole.entries.length + unknown + 6)
    expect(questions.length - unknown, `questions after commit ${commit}`).toBe(8)
    expect(outcomes.length).toBe(whole.outcomes.length)
  }
})
