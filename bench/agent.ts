// The loop of a model agent: everything that is not the model, with fifty tools, on a store that syncs each commit.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openSqlite } from '@bridle/stores/data-folder'
import { InstantModel } from './agent-model.ts'
import { AgentWorld, agentKey, cpuOf, folderBytes, p50, stepCpu, stepTimes } from './agent-world.ts'
import { type BenchFigure, type BenchRounds, figure, interleave } from './figure.ts'
import { rawAppends } from './raw-appends.ts'
import { streamTextTurns } from './rival-stream-text.ts'

/** A long turn of an agent, as its default limit allows. */
const TURN_STEPS = 50
/** Turns before a measurement: code that runs once per step is compiled late. */
const WARM_TURNS = 10
const LONG_STEPS = 10_000
const COLD_STEPS = 1_000
const WAITING = 10_000
const FEW_WAITING = 100

export const agent = async (): Promise<BenchFigure[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-bench-'))
  try {
    return [
      ...(await stepCosts(join(folder, 'steps'))),
      ...(await earlierTurns(join(folder, 'earlier'))),
      ...(await longTurn(folder)),
      ...(await firstRequests(join(folder, 'cold'))),
      ...(await waitingHeap(folder)),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Measurement = { readonly value: number; readonly verified: boolean }
const limit = (value: number) => ({ run: async (): Promise<Measurement> => ({ value, verified: true }) })

const stepCosts = async (folder: string): Promise<BenchFigure[]> => {
  const store = await openSqlite(folder)
  const world = new AgentWorld(store, new InstantModel())
  const equipped = new AgentWorld(store, new InstantModel(), { isEquipped: true })
  const rival = streamTextTurns()
  const rivalModel = new InstantModel()
  let turns = 0
  const turn = () => world.turn(`steps-${turns++}`, TURN_STEPS)
  const equippedTurn = () => equipped.turn(`equipped-${turns++}`, TURN_STEPS)
  for (let warm = 0; warm < WARM_TURNS; warm++) {
    await turn()
    await equippedTurn()
    await rival?.(rivalModel, TURN_STEPS)
  }
  /** Processor time per step over several turns: one is too short for the clock. */
  const perStep = async (run: () => Promise<boolean>): Promise<Measurement> => {
    const { cpuUs, value: answers } = await cpuOf(async () => {
      const all: boolean[] = []
      for (let count = 0; count < 5; count++) all.push(await run())
      return all
    })
    return { value: cpuUs / 5 / TURN_STEPS, verified: answers.every(Boolean) }
  }
  const rounds = await interleave(
    {
      'p50 of a step (us)': {
        run: async () => {
          const verified = await turn()
          return { value: p50(stepTimes(world.model)), verified }
        },
      },
      'the larger of 2 ms and 6 raw appends (us)': {
        run: async () => ({ value: Math.max(2_000, 6 * (await rawAppends(store, 200))), verified: true }),
      },
      'commits of 1,000 steps': {
        run: async () => {
          const before = world.commits
          const verified = await turn()
          return { value: ((world.commits - before) / TURN_STEPS) * 1_000, verified }
        },
      },
      '1,000 steps': limit(1_000),
      'CPU per step (us)': { run: () => perStep(turn) },
      'CPU per step, equipped (us)': { run: () => perStep(equippedTurn) },
      ...(rival && { 'CPU per step of streamText (us)': { run: () => perStep(() => rival(rivalModel, TURN_STEPS)) } }),
    },
    9,
  )
  await world.host.stop()
  await equipped.host.stop()
  await store.close()
  return [
    figure(rounds, ['p50 of a step (us)', 'the larger of 2 ms and 6 raw appends (us)'], {
      id: 'A1',
      what: 'a step without its model, 50 tools / the larger of 2 ms and 6 raw appends',
      target: 1,
      better: 'lower',
    }),
    figure(rounds, ['commits of 1,000 steps', '1,000 steps'], {
      id: 'A2',
      what: 'commits per step',
      target: 2.2,
      better: 'lower',
    }),
    ...(rival
      ? [
          figure(rounds, ['CPU per step (us)', 'CPU per step of streamText (us)'], {
            id: 'A3',
            what: 'processor time per step / streamText of the ai package',
            target: 0.6,
            better: 'lower' as const,
          }),
        ]
      : []),
    figure(rounds, ['CPU per step, equipped (us)', 'CPU per step (us)'], {
      id: 'A10',
      what: 'a step with five middlewares, a policy and 25 of 200 tools / the bare step',
      target: 1.5,
      better: 'lower',
    }),
  ]
}

/** Steps in earlier turns of the session. */
const earlierTurns = async (folder: string): Promise<BenchFigure[]> => {
  const store = await openSqlite(folder)
  const world = new AgentWorld(store, new InstantModel())
  for (let steps = 0; steps < LONG_STEPS; steps += TURN_STEPS) await world.turn('long', TURN_STEPS)
  let turns = 0
  /** Processor time, so that a snapshot now and then counts, and a busy disk does not. */
  const measured = async (id: string): Promise<Measurement> => {
    const { cpuUs, value: verified } = await cpuOf(() => world.turn(id, TURN_STEPS))
    return { value: cpuUs / TURN_STEPS, verified }
  }
  const rounds = await interleave(
    {
      'CPU per step after 10,000 in earlier turns (us)': { run: () => measured('long') },
      'CPU per step in a new session (us)': { run: () => measured(`new-${turns++}`) },
    },
    15,
  )
  await world.host.stop()
  await store.close()
  return [
    figure(rounds, ['CPU per step after 10,000 in earlier turns (us)', 'CPU per step in a new session (us)'], {
      id: 'A4',
      what: 'a step after 10,000 steps in earlier turns / in a new session',
      target: 1.2,
      better: 'lower',
    }),
  ]
}

/** Plays a turn of 10,000 steps, and one of half as many for the size of the store. */
const longTurn = async (folder: string): Promise<BenchFigure[]> => {
  const sizes: number[] = []
  let costs: number[] = []
  let isVerified = true
  for (const steps of [LONG_STEPS / 2, LONG_STEPS]) {
    const data = join(folder, `turn-${steps}`)
    const store = await openSqlite(data)
    const world = new AgentWorld(store, new InstantModel())
    for (let warm = 0; warm < WARM_TURNS; warm++) await world.turn('warm', TURN_STEPS)
    isVerified = (await world.turn('long', steps)) && isVerified
    costs = stepCpu(world.model)
    await world.host.stop()
    await store.close()
    sizes.push(folderBytes(data))
  }
  const [first, last] = ['CPU per step, the first 1,000 (us)', 'CPU per step, the last 1,000 (us)']
  const [half, whole] = ['bytes of a turn of 5,000 steps', 'bytes of a turn of 10,000 steps']
  const rounds: BenchRounds = {
    values: { [first]: costs.slice(0, 5), [last]: costs.slice(-5), [half]: [sizes[0]!], [whole]: [sizes[1]!] },
    verified: { [first]: isVerified, [last]: isVerified, [half]: isVerified, [whole]: isVerified },
  }
  return [
    figure(rounds, [last, first], {
      id: 'A5',
      what: 'in one turn of 10,000 steps: a step at its end / at its start',
      target: 2,
      better: 'lower',
    }),
    figure(rounds, [whole, half], {
      id: 'A6',
      what: 'size of the store: a turn of 10,000 steps / of 5,000',
      target: 2.1,
      better: 'lower',
    }),
  ]
}

/** From a prompt to the first request of its model, in a session of 1,000 steps. */
const firstRequests = async (folder: string): Promise<BenchFigure[]> => {
  const store = await openSqlite(folder)
  const maker = new AgentWorld(store, new InstantModel())
  for (let steps = 0; steps < COLD_STEPS; steps += TURN_STEPS) await maker.turn('cold', TURN_STEPS)
  await maker.host.stop()
  const warm = new AgentWorld(store, new InstantModel())
  await warm.turn('cold', 2)
  const asked = async (world: AgentWorld): Promise<Measurement> => {
    const before = performance.now()
    const verified = await world.turn('cold', 2)
    return {
      value: (world.model.askedAt[0]! - before) * 1_000,
      verified: verified && world.model.lastRequest.messages > 2 * COLD_STEPS,
    }
  }
  const rounds = await interleave({
    'prompt to request, cold (us)': {
      run: async () => {
        const world = new AgentWorld(store, new InstantModel())
        const measured = await asked(world)
        await world.host.stop()
        return measured
      },
    },
    '100 ms': limit(100_000),
    'prompt to request, warm (us)': {
      run: async () => {
        const world = new AgentWorld(store, new InstantModel())
        await world.turn('cold', 2)
        const measured = await asked(world)
        await world.host.stop()
        return measured
      },
    },
    '10 ms': limit(10_000),
  })
  await warm.host.stop()
  await store.close()
  return [
    figure(rounds, ['prompt to request, cold (us)', '100 ms'], {
      id: 'A7',
      what: 'a session of 1,000 steps that is not in memory: prompt to request / 100 ms',
      target: 1,
      better: 'lower',
    }),
    figure(rounds, ['prompt to request, warm (us)', '10 ms'], {
      id: 'A8',
      what: 'the same session in memory: prompt to request / 10 ms',
      target: 1,
      better: 'lower',
    }),
  ]
}

/** Sessions whose run waits for an answer. */
const waitingHeap = async (folder: string): Promise<BenchFigure[]> => {
  setFlagsFromString('--expose_gc')
  const gc = runInNewContext('gc') as () => void
  const stores = { many: await openSqlite(join(folder, 'many')), few: await openSqlite(join(folder, 'few')) }
  const wait = async (store: typeof stores.many, count: number) => {
    const model = new InstantModel()
    const { host } = new AgentWorld(store, model, { asks: true })
    model.beginTurn(Number.MAX_SAFE_INTEGER)
    for (let made = 0; made < count; made += 100) {
      const ids = Array.from({ length: 100 }, (_, index) => `waiting-${made + index}`)
      await Promise.all(ids.map((id) => host.send(agentKey(id), { type: 'submit', prompt: 'go' })))
      for (const id of ids) {
        const session = await host.open(agentKey(id))
        while (session.state.course.wait === null) await new Promise(setImmediate)
      }
    }
    await host.stop()
  }
  await wait(stores.many, WAITING)
  await wait(stores.few, FEW_WAITING)
  const heap = async (store: typeof stores.many): Promise<Measurement> => {
    const { host } = new AgentWorld(store, new InstantModel(), { asks: true })
    await host.start()
    gc()
    const value = process.memoryUsage().heapUsed
    const verified = host.counts().sessions === 0
    await host.stop()
    return { value, verified }
  }
  const rounds = await interleave({
    'heap with 10,000 waiting (bytes)': { run: () => heap(stores.many) },
    'heap with 100 waiting (bytes)': { run: () => heap(stores.few) },
  })
  await stores.many.close()
  await stores.few.close()
  return [
    figure(rounds, ['heap with 10,000 waiting (bytes)', 'heap with 100 waiting (bytes)'], {
      id: 'A9',
      what: 'heap after start-up: 10,000 sessions whose run waits / 100',
      target: 1.05,
      better: 'lower',
    }),
  ]
}
