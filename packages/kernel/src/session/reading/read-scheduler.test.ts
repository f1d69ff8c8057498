import { describe, expect, test } from 'vitest'
import { ReadScheduler } from './read-scheduler.ts'

/** An event loop whose turns come when the test says so, and whose clock moves when a step says so. */
const world = () => {
  const waiting: (() => void)[] = []
  const loop = { time: 0, turns: 0 }
  const turns = new ReadScheduler({
    now: () => loop.time,
    nextTurn: () => new Promise<void>((resolve) => waiting.push(resolve)),
  })
  const settle = async () => {
    for (let times = 0; times < 1_000; times++) await Promise.resolve()
  }
  return {
    loop,
    turns,
    settle,
    /** Runs a turn of the event loop. */
    async turn() {
      loop.turns++
      for (const resolve of waiting.splice(0)) resolve()
      await settle()
    },
  }
}

describe('[O33] long reads', () => {
  test('take turns: everybody gets a page before anybody gets the next', async () => {
    const { turns, loop, turn, settle } = world()
    const pages: string[] = []
    const reader = async (name: string) => {
      for (let page = 1; page <= 3; page++)
        await turns.schedule(async () => {
          loop.time += 0.1
          pages.push(`${name}${page}`)
        })
    }
    const done = Promise.all(['a', 'b', 'c'].map(reader))
    await settle()
    for (let times = 0; times < 3; times++) await turn()
    await done
    expect(pages).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'])
  })

  test('leave the event loop to others after two milliseconds', async () => {
    const { turns, loop, turn, settle } = world()
    const seen: number[] = []
    const done = Promise.all(
      Array.from({ length: 10 }, () =>
        turns.schedule(async () => {
          loop.time += 1
          seen.push(loop.turns)
        }),
      ),
    )
    await settle()
    for (let times = 0; times < 5; times++) await turn()
    await done
    expect(seen).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
  })

  test('leave it to others also when there is but one reader', async () => {
    const { turns, loop, turn, settle } = world()
    const seen: number[] = []
    const reader = async () => {
      for (let page = 0; page < 6; page++)
        await turns.schedule(async () => {
          loop.time += 1
          seen.push(loop.turns)
        })
    }
    const done = reader()
    await settle()
    for (let times = 0; times < 3; times++) await turn()
    await done
    expect(seen).toEqual([0, 0, 1, 1, 2, 2])
  })

  test('leave it to others by their number, where the clock stands still', async () => {
    const { turns, loop, turn, settle } = world()
    const seen: number[] = []
    const done = Promise.all(Array.from({ length: 150 }, () => turns.schedule(async () => void seen.push(loop.turns))))
    await settle()
    for (let times = 0; times < 3; times++) await turn()
    await done
    expect([0, 1, 2].map((slice) => seen.filter((at) => at === slice).length)).toEqual([64, 64, 22])
  })

  test('that wait for a disk keep nobody else waiting, and one that fails fails alone', async () => {
    const { turns, turn, settle } = world()
    const disk = Promise.withResolvers<string>()
    const slow = turns.schedule(() => disk.promise)
    const failing = expect(turns.schedule(() => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged')
    const quick = turns.schedule(async () => 'quick')
    await settle()
    await turn()
    await failing
    await expect(quick).resolves.toBe('quick')
    disk.resolve('slow')
    await expect(slow).resolves.toBe('slow')
  })
})
