// Invariants that hold at any moment, after any fault. Each check compares what a client or runner saw with the stored log.
import { isDeepStrictEqual } from 'node:util'
import { keyText } from '@bridle/kernel/event'
import { type MemorySession, memoryRowOf } from '@bridle/kernel/memory/memory-data'
import type { Snapshot, SnapshotWrite } from '@bridle/kernel/ports/log'
import { emptyState, evolve, type SessionState, statusOf } from '@bridle/kernel/projections/state'
import { dueTimes, wakeOf } from '@bridle/kernel/rules/due-time'
import { wantedEffects } from '@bridle/kernel/rules/wanted-effects'
import type { Session } from '@bridle/kernel/session/session'
import { restoreSnapshot, takeSnapshot } from '@bridle/kernel/session/snapshot'
import { fail, type SimulationContext } from './ground.ts'
import type { SessionHistory, StoreModel } from './model.ts'
import { isNative } from './native-effects.ts'
import type { SimulatedProcess } from './process.ts'
import { nameOf, type SimulatedRemoteRunner } from './remote.ts'
import { textOf } from './scripts.ts'

const checked = new WeakMap<MemorySession, string>()

/** Cheap enough for every step: checks only what has changed. */
export const checkStep = (ground: SimulationContext, model: StoreModel): void => {
  model.read()
  for (const session of ground.data.sessions.values()) {
    const { inHand, dueAt } = session.wake
    const looks = `${session.events.length} ${inHand} ${dueAt} ${session.row}`
    if (checked.get(session) === looks) continue
    checked.set(session, looks)
    const life = model.current(session.key)!
    const { status, approvals } = memoryRowOf(session)
    const isNow = statusOf(life.state)
    const shown = life.state.conversation.sessionStatus
    if (status !== isNow) fail(ground, 'row', `${life.name} is listed as ${status} and is ${isNow}`)
    if (shown !== isNow) fail(ground, 14, `${life.name} is shown as ${shown} and is ${isNow}`)
    const listed = approvals.map(({ id }) => id).sort()
    if (!isDeepStrictEqual(listed, life.ledger.openApprovals))
      fail(ground, 7, `${life.name} lists ${listed}, and ${life.ledger.openApprovals} are open`)
    // A crash at this point must leave a record that the next process finds.
    const wake = wakeOf(wantedEffects(life.key, life.state, 0).length > 0, dueTimes(life.state, life.state.at))
    if (!isDeepStrictEqual(session.wake, wake))
      fail(ground, 8, `${life.name} would be woken by ${JSON.stringify(session.wake)}, not by ${JSON.stringify(wake)}`)
  }
}

/** Replay equals live, for every session in any process, also in a deposed one. */
export const checkLive = (
  ground: SimulationContext,
  model: StoreModel,
  processes: readonly SimulatedProcess[],
): void => {
  for (const process of processes) {
    if (!process.alive) continue
    for (const session of process.sessions) {
      if (session.dropped) process.sessions.delete(session)
      else if (session.exists && !isFold(model, session, process.deposed))
        fail(
          ground,
          14,
          `${keyText(session.key)} on ${process.name} is not at ${session.state.head} what the log folds to`,
        )
    }
  }
}

const isFold = (model: StoreModel, { key, state }: Session, deposed: boolean): boolean => {
  const lives = deposed ? model.livesOf(key) : [model.current(key)]
  return lives.some((life) => isSame(life?.stateAt(state.head), state))
}

/** The whole log again, from the beginning and from snapshots; and what the runners did, compared with the log. */
export const checkAll = (ground: SimulationContext, model: StoreModel, remote: SimulatedRemoteRunner): void => {
  model.assertUnchanged()
  for (const life of model.lives) {
    checkFold(ground, life)
    checkSnapshots(ground, life)
    if (isNative(life)) checkAnswers(ground, life)
    else checkWork(ground, life, remote)
  }
}

const checkFold = (ground: SimulationContext, life: SessionHistory): void => {
  let state: SessionState = { ...emptyState, head: life.root.base }
  for (let seq = state.head + 1; seq <= life.head; seq++) state = evolve(state, JSON.parse(life.textAt(seq)!))
  if (!isSame(state, life.state)) fail(ground, 14, `${life.name} folds differently the second time`)
}

const checkSnapshots = (ground: SimulationContext, life: SessionHistory): void => {
  for (const [seq, write] of life.session.snapshots) {
    const pieces = Array.from({ length: write.settled }, (_, index) => pieceAt(life, index, seq))
    if (pieces.some((text) => text === undefined)) continue
    checkSnapshot(ground, life, { ...write, pieces: pieces as string[] })
  }
  // A store takes a snapshot only now and then; here every position must work.
  const seq = ground.prng.int(life.base, life.head)
  const { write } = takeSnapshot(life.stateAt(seq)!, [], 0, 1, 1 + (seq % 200))
  checkSnapshot(ground, life, asRead(write))
}

const checkSnapshot = (ground: SimulationContext, life: SessionHistory, snapshot: Snapshot): void => {
  let state = restoreSnapshot(snapshot)?.state
  if (!state) return fail(ground, 14, `${life.name}: the snapshot at ${snapshot.seq} cannot be read`)
  for (let seq = snapshot.seq + 1; seq <= life.head; seq++) state = evolve(state, JSON.parse(life.textAt(seq)!))
  if (!isSame(state, life.state))
    fail(ground, 14, `${life.name} folds differently from the snapshot at ${snapshot.seq}`)
}

const pieceAt = (life: SessionHistory, index: number, seq: number): string | undefined =>
  life.session.pieces
    .get(index)
    ?.filter((version) => version.seq <= seq)
    .at(-1)?.text ?? (life.parent ? pieceAt(life.parent, index, Math.min(seq, life.base)) : undefined)

const asRead = ({ seq, foldVersion, state, pieces }: SnapshotWrite): Snapshot => ({
  seq,
  foldVersion,
  state,
  pieces: pieces.map(({ text }) => text),
})

/** The log holds the text of each attempt, and of attempts that continue it, as its runner sent it: from the start, once, in order. */
const checkWork = (ground: SimulationContext, life: SessionHistory, remote: SimulatedRemoteRunner): void => {
  for (const [runId, run] of life.ledger.runs) {
    for (const [attempt, said] of run.textByAttempt) {
      const name = nameOf({ key: life.key, runId, attempt })
      const whole = life.key.agent === 'remote' ? remote.worked.get(name)?.text : textOf(run.text)
      const completed = run.end?.status === 'completed' && attempt === run.from
      if (whole === undefined || !whole.startsWith(said))
        fail(ground, 3, `${name} wrote "${said}", and its runner said "${whole}"`)
      else if (completed && said !== whole)
        fail(ground, 1, `${name} completed with "${said}", and its runner said "${whole}"`)
    }
  }
}

/** The answer of a durable run is the text of its script, over all of its attempts and owners; of an unfinished run, a part of it. */
const checkAnswers = (ground: SimulationContext, { name, ledger, state, events }: SessionHistory): void => {
  for (const { role, runId, content } of state.conversation.messages) {
    const run = role === 'assistant' && runId !== undefined ? ledger.runs.get(runId) : undefined
    if (!run) continue
    // A steering prompt changes the rest of the answer.
    if (events.some(({ type, payload }) => type === 'steered' && payload.run_id === runId)) continue
    const whole = textOf(run.text)
    if (run.end?.status === 'completed' ? content !== whole : !whole.startsWith(content))
      fail(ground, 3, `${runId} of ${name} (${run.end?.status}) answered "${content}", and its script says "${whole}"`)
  }
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || isDeepStrictEqual(a, b) || isDeepStrictEqual(plain(a), plain(b))

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
