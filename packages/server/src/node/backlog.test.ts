import { describe, expect, test, vi } from 'vitest'
import { Backlog, type SlowReader } from './backlog.ts'

class TestReader implements SlowReader {
  bytes = 0
  isCut = false

  unsentBytes(): number {
    return this.isCut ? 0 : this.bytes
  }

  disconnect(): void {
    this.isCut = true
  }

  fallBehind(backlog: Backlog, bytes: number): void {
    this.bytes += bytes
    backlog.addUnsent(this, bytes)
  }
}
const readers = (count: number) => Array.from({ length: count }, () => new TestReader())
const cut = (all: readonly TestReader[]) => all.map(({ isCut }) => isCut)

describe('[O9] a budget over all readers', () => {
  test('within it nobody is cut, however far behind', () => {
    const backlog = new Backlog(1_600)
    const [one] = readers(1)
    for (let times = 0; times < 16; times++) one?.fallBehind(backlog, 100)
    expect(one?.isCut).toBe(false)
  })

  test('above it those furthest behind are, and no more of them than it takes', () => {
    const backlog = new Backlog(1_600)
    const all = readers(4)
    for (const [index, bytes] of [100, 900, 300, 500].entries()) all[index]?.fallBehind(backlog, bytes)
    expect(cut(all)).toEqual([false, true, false, false])
    all[0]?.fallBehind(backlog, 800)
    expect(cut(all)).toEqual([true, true, false, false])
  })

  test('it is exceeded by a sixteenth at most before somebody looks', () => {
    const backlog = new Backlog(1_600)
    const all = readers(1_000)
    for (const reader of all) {
      reader.fallBehind(backlog, 10)
      expect(all.reduce((sum, each) => sum + each.unsentBytes(), 0)).toBeLessThanOrEqual(1_700)
    }
  })

  test('who has caught up counts no more', () => {
    const backlog = new Backlog(1_600)
    const all = readers(100)
    for (const reader of all) {
      reader.fallBehind(backlog, 200)
      reader.bytes = 0
    }
    expect(cut(all)).not.toContain(true)
  })

  test('as long as there are any they are looked at, though nothing is written', () => {
    vi.useFakeTimers()
    try {
      const backlog = new Backlog(1_600)
      const [one] = readers(1)
      const looked = vi.spyOn(one as TestReader, 'unsentBytes')
      one?.fallBehind(backlog, 1)
      vi.advanceTimersByTime(2_000)
      expect(looked).toHaveBeenCalledTimes(2)
      Object.assign(one as TestReader, { bytes: 0 })
      vi.advanceTimersByTime(5_000)
      expect(looked).toHaveBeenCalledTimes(3)
    } finally {
      vi.useRealTimers()
    }
  })
})
