// After the faults stop, all work finishes: no session is forgotten.
import { keyText } from '@bridle/kernel/event'
import { statusOf } from '@bridle/kernel/projections/state'
import { wantedEffects } from '@bridle/kernel/rules/wanted-effects'
import { checkAll, checkLive, checkStep } from './checks.ts'
import { noFaults } from './faults.ts'
import { fail, note } from './ground.ts'
import type { SessionHistory } from './model.ts'
import type { SimulatedWorld } from './world.ts'

/** Longer than any deadline that clients and scripts draw: a log that stays the same for this long has no work left. */
const QUIET_MS = 120_000
const ROUNDS_MAX = 60
const STEPS_MAX = 60_000

export const comeToRest = async (world: SimulatedWorld): Promise<void> => {
  const { ground } = world
  note(ground, 'the faults stop')
  ground.faults = { ...noFaults }
  ground.outageUntil = 0
  // Deposed processes, and a process that is still stopping, end; the owner continues.
  for (const process of world.living) if (process.deposed || process.stopping) process.end('ended')
  // Logs may hold times ahead of every clock; advance the clocks beyond them.
  const latest = Math.max(...world.model.lives.map(({ state }) => state.at), 0)
  world.moveClocks(Math.max(0, latest - world.wallMs))
  await run(world, 'time goes on')

  note(ground, 'a restart, two days later')
  world.moveClocks(2 * 86_400_000)
  world.owner?.end('restart')
  world.startProcess()
  await run(world, 'two days later')
  checkAll(ground, world.model, world.remote)
  world.effects.checkAll()
  world.requests.recheck()
}

const run = async (world: SimulatedWorld, when: string): Promise<void> => {
  const { ground, model, streams } = world
  // No client connects at first: pending work must finish without one.
  await untilQuiet(world, when)
  checkRest(world, when)
  for (const stream of streams) if (!stream.connected) stream.connect(world.owner!)
  await untilQuiet(world, when)
  await openAll(world, when)
  checkRest(world, when)
  checkStep(ground, model)
  checkLive(ground, model, world.processes)
  checkStreams(world, when)
}

const untilQuiet = async (world: SimulatedWorld, when: string): Promise<void> => {
  const { ground, model } = world
  const { schedule } = ground
  const events = () => model.lives.reduce((sum, { texts }) => sum + texts.length, 0)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = events()
    const owner = world.owner ?? world.startProcess()
    if ((await schedule.runTo(schedule.now + QUIET_MS, STEPS_MAX)) >= STEPS_MAX) break
    if (events() === before && owner.alive) return
  }
  fail(ground, 8, `${when}: there is no end to it`)
}

/** Every session opens, from its snapshot if it has one, so that its state can be compared. */
const openAll = async ({ ground, model, owner }: SimulatedWorld, when: string): Promise<void> => {
  const left = new Set<string>()
  for (const { key } of ground.data.sessions.values()) {
    left.add(keyText(key))
    owner?.host.open(key).then(
      (session) => {
        left.delete(keyText(key))
        owner.sessions.add(session)
        const head = model.current(key)?.head
        if (session.state.head !== head)
          fail(ground, 2, `${when}: ${keyText(key)} is live at ${session.state.head}, and its log at ${head}`)
      },
      (cause) => fail(ground, 8, `${when}: ${keyText(key)} does not open: ${String(cause)}`),
    )
  }
  await ground.schedule.runTo(ground.schedule.now + 1_000, STEPS_MAX)
  if (left.size > 0) fail(ground, 8, `${when}: ${[...left].join(', ')} never opened`)
}

const checkRest = (world: SimulatedWorld, when: string): void => {
  const { ground, model } = world
  for (const { key } of ground.data.sessions.values()) checkLife(world, model.current(key)!, when)
}

const checkLife = (
  { ground, wallMs }: SimulatedWorld,
  { name, key, state, ledger }: SessionHistory,
  when: string,
): void => {
  const status = statusOf(state)
  if (!atRest.has(status)) fail(ground, 8, `${when}: ${name} is ${status} for ever`)
  const undone = wantedEffects(key, state, 0).filter(({ kind }) => kind !== 'run' || status !== 'awaiting_approval')
  if (undone.length > 0) fail(ground, 8, `${when}: ${name} still wants ${undone.map(({ id }) => id).join(', ')}`)
  for (const [id, { decided, expiresAt }] of ledger.approvals)
    if (!decided && expiresAt !== null && expiresAt <= wallMs)
      fail(ground, 7, `${when}: ${id} of ${name} has not expired`)
  const { run, queue } = state.lifecycle
  for (const [runId, { end }] of ledger.runs)
    if (!end && run?.runId !== runId && !queue.some((prompt) => prompt.runId === runId))
      fail(ground, 5, `${when}: ${runId} of ${name} is gone and never ended`)
}

const checkStreams = (world: SimulatedWorld, when: string): void => {
  for (const stream of world.streams) {
    const life = world.model.current(stream.key)
    if (!life) continue
    if (!stream.connected || stream.cursor !== life.head)
      fail(world.ground, 3, `${when}: ${stream.name} stands at ${stream.cursor}, ${life.name} at ${life.head}`)
    else if (stream.life === life) stream.assertEqual(life)
  }
}

const atRest = new Set(['idle', 'paused', 'failed', 'completed', 'cancelled', 'awaiting_approval'])
