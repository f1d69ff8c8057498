// Checks of a session at rest, from outside: every client has the whole log of its wire, and all of them agree.

import { setTimeout as sleep } from 'node:timers/promises'
import { readFrames, type SseFrame } from '@bridle/surfaces/http/test-client.suite'
import { PATIENCE_MS } from './command.ts'
import type { EffectLine } from './durable/effects.ts'
import { type CallName, childPlace, toolEffects, toolOf } from './durable/plan.ts'
import { type HttpAnswer, request } from './http.ts'
import type { PromiseTally } from './promises.ts'
import { type CrashSession, isOver, POLL_MS } from './session.ts'
import type { WireEvent } from './wire-client.ts'

export const checkSession = async (
  session: CrashSession,
  tally: PromiseTally,
  effects: () => readonly EffectLine[],
): Promise<void> => {
  const { id } = session.place
  const questions = new Set<string>()
  const { detail, waitsForUs } = await atRest(session, questions)
  if (detail === null && waitsForUs) return tally.giveUp(`${id} waits for an approval that the harness did not answer`)
  tally.check('8', detail !== null, () => `${id} does not come to rest within ${PATIENCE_MS / 1_000} seconds`)
  if (detail === null) return
  if (session.kind === 'work') tally.checkEqual('8', detail.status, 'completed', `the end of ${id}`)

  const timeline = (await request(session.place, `/agents/${session.place.agent}/${id}`))?.body.events as
    | unknown[]
    | undefined
  const logged = timeline?.map((event) => JSON.stringify(event)) ?? []
  const envelopes = await frontendLog(session, detail)
  const messages = detail.messages as { role: string; content: string; runId?: string; status: string }[]
  const texts = messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
  await caughtUp(session, { fabric: lastSeq(logged), frontend: Number(envelopes.at(-1)?.id ?? 0), texts })
  for (const client of session.fabric) tally.checkEqual('3', raws(client.events), logged, `${client.wire} of ${id}`)
  const frames = envelopes.map(({ raw }) => /^data: (.*)$/m.exec(raw)?.[1])
  tally.checkEqual('3', raws(session.frontend.events), frames, `${session.frontend.wire} of ${id}`)
  for (const client of session.clients)
    for (const promise of ['1', '3'] as const) {
      const faults = client.faults.filter((fault) => fault.promise === promise).map(({ text }) => text)
      tally.check(promise, faults.length === 0, () => `${client.wire} of ${id}: ${faults.join('; ')}`)
    }

  for (const client of session.clients) tally.checkEqual('2', client.texts(), texts, `${client.wire} of ${id}`)
  const asked = messages.filter(({ role }) => role === 'user').length
  tally.check('1', asked >= session.commands.length, () => `${id} has ${asked} of ${session.commands.length} prompts`)
  tally.check('6', asked <= session.commands.length, () => `${id} ran ${asked} prompts for ${session.commands.length}`)
  endsOnce(session, tally)
  if (session.kind === 'ask') approvedCall(session, tally)
  const isShort = session.secondLength === 'short'
  if (session.kind === 'talk' && isShort) tally.checkEqual('8', texts.at(-1), 'once more', `the second turn of ${id}`)
  const { answers, proof } = session.agent
  if (!answers) return
  const whole = isShort ? texts.slice(0, 1) : texts
  tally.checkEqual(
    '10',
    whole,
    whole.map(() => answers[session.kind]),
    `the answer of ${id}`,
  )
  if (proof?.kind === session.kind && !session.frontend.events.some(({ type }) => type === proof.type))
    tally.giveUp(`${id} has no ${proof.type}: the row did not test what it names`)
  for (const turn of ['first', 'second'])
    for (const place of [`${id}-${turn}`, childPlace(`${id}-${turn}`)])
      checkEffects(place, tally, effects(), questions.size)
}

const raws = (events: readonly WireEvent[]): string[] => events.map(({ raw }) => raw)
const lastSeq = (events: readonly string[]): number => Number(/"ev-(\d+)/.exec(events.at(-1) ?? '')?.[1] ?? 0)

const endsOnce = ({ frontend, place }: CrashSession, tally: PromiseTally): void => {
  const turns = new Map<string, number>()
  const answers = new Map<string, number>()
  for (const { type, body } of frontend.events) {
    const { turn_id: turn, payload } = body
    if (type === 'turn_start' && turn) turns.set(turn, turns.get(turn) ?? 0)
    if (type === 'turn_end' && turn) turns.set(turn, (turns.get(turn) ?? 0) + 1)
    if (type === 'approval_applied' && payload?.request_id)
      answers.set(payload.request_id, (answers.get(payload.request_id) ?? 0) + 1)
  }
  for (const [turn, ends] of turns) tally.check('5', ends === 1, () => `${turn} of ${place.id} ended ${ends} times`)
  for (const [approval, times] of answers)
    tally.check('7', times === 1, () => `${approval} of ${place.id} was answered ${times} times`)
}

/** A call that was approved ran with the arguments as approved. */
const approvedCall = ({ fabric: [stream], place, agent }: CrashSession, tally: PromiseTally): void => {
  const approved = stream.events.filter(({ body }) => body.data?.decision === 'approved')
  if (approved.length === 0) return
  const results = stream.events.flatMap(({ type, body }) => (type === 'tool_end' ? [body.data?.result] : []))
  tally.checkEqual(
    '7',
    results,
    approved.map(() => agent.approval.result),
    `the approved calls of ${place.id}`,
  )
}

/** An effect keeps its key however often it is repeated, and a person agrees to each repetition of an unsafe one. */
const checkEffects = (at: string, tally: PromiseTally, lines: readonly EffectLine[], agreements: number): void => {
  const here = lines.filter(({ place, kind }) => place === at && kind === 'call')
  for (const name of new Set(here.map((line) => line.name))) {
    const begun = here.filter((line) => line.name === name && line.phase === 'begin')
    const keys = new Set(begun.map(({ key }) => key))
    tally.check('10', keys.size === 1, () => `${name} of ${at} had the keys ${[...keys].join(', ')}`)
    const isUnsafe = toolEffects[toolOf(name as CallName)] === 'unsafe'
    tally.check(
      '10',
      !isUnsafe || begun.length <= 1 + agreements,
      () => `${name} of ${at} was made ${begun.length} times`,
    )
  }
}

/** Agrees that calls are made again whose outcome nobody knows. */
const atRest = async (session: CrashSession, questions: Set<string>): Promise<RestingSession> => {
  let waitsForUs = false
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(POLL_MS)) {
    const detail = await session.detail()
    if (detail?.status !== 200) continue
    const { status, queued, approvals } = detail.body
    const open = approvals as { id: string; kind: string }[]
    for (const { id } of open.filter(({ kind }) => kind === 'unknown_outcome')) {
      questions.add(id)
      await request(session.place, `/sessions/${session.place.id}/approvals/${id}/approve`, { body: {} })
    }
    if (isOver(status) && queued === 0 && open.length === 0) return { detail: detail.body, waitsForUs: false }
    waitsForUs = open.some(({ kind }) => kind !== 'unknown_outcome')
  }
  return { detail: null, waitsForUs }
}

interface RestingSession {
  /** Null: it does not come to rest. */
  readonly detail: HttpAnswer['body'] | null
  /** An approval is open that the harness was to answer. */
  readonly waitsForUs: boolean
}

/** Waits for the clients, which may be some milliseconds behind. A client that stays behind fails a later check. */
const caughtUp = async (session: CrashSession, { fabric, frontend, texts }: LogEnd): Promise<void> => {
  const isThere = () =>
    session.fabric.every(({ seq }) => seq >= fabric) &&
    session.frontend.seq >= frontend &&
    // The transport sends no sequence number for an event that does not change its state.
    JSON.stringify(session.transport.texts()) === JSON.stringify(texts)
  for (const until = Date.now() + PATIENCE_MS; !isThere() && Date.now() < until; ) await sleep(POLL_MS)
}

/** The last sequence number that each wire shows. */
interface LogEnd {
  readonly fabric: number
  readonly frontend: number
  readonly texts: readonly string[]
}

/** The log of the frontend contract, read again up to the last envelope that the detail shows. */
const frontendLog = async ({ place }: CrashSession, detail: HttpAnswer['body']): Promise<SseFrame[]> => {
  const head = (detail.channel as { envelopes: { seq: number }[] }).envelopes.at(-1)?.seq ?? 0
  const frames = await readFrames(
    `${place.url()}/sessions/${place.id}/events/stream`,
    (read) => Number(read.at(-1)?.id ?? 0) >= head,
    { 'x-fabric-tenant': place.tenant },
  ).catch(() => [])
  return frames.filter(({ id }) => id !== null)
}
