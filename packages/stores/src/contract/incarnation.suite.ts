// The contract of Log about incarnations: which life of a log its numbers belong to.

import type { BranchParent } from '@bridle/kernel/ports/log'
import { describe, expect, test } from 'vitest'
import { events, key, row, type StoreHarness, type StoreOwner, startSession, underTest } from './store.suite.ts'

const [a, b, c] = [key('a'), key('b'), key('c')]
const at = (id: string, seq: number): BranchParent => ({ agent: 'scripted', id, seq })

const listed = async ({ directory }: StoreOwner): Promise<{ [id: string]: number | undefined }> => {
  const { sessions } = await directory.list('acme', {})
  return Object.fromEntries(sessions.map(({ key: { id }, incarnation }) => [id, incarnation]))
}

export const incarnationContract = (name: string, make: () => Promise<StoreHarness>): void => {
  describe(`${name}: incarnations`, () => {
    const on = underTest(make)

    test('[S34] a log is in its first incarnation, and goes on in it when its id is made again', async () => {
      expect(await on.store.log.open(a)).toMatchObject({ incarnation: 1, parentIncarnation: null })
      await startSession(on.store, a, 3)
      await startSession(on.store, b, 2, {}, at('a', 2))
      await on.store.log.remove(a)
      expect(await on.store.log.open(a)).toMatchObject({ exists: false, head: 3, incarnation: 1 })
      await startSession(on.store, a, 2)
      const again = await on.store.restart()
      expect(await again.log.open(a)).toMatchObject({ exists: true, head: 5, incarnation: 1 })
      expect(await again.log.open(b)).toMatchObject({ incarnation: 1, parentIncarnation: 1 })
      expect(await listed(again)).toEqual({ a: undefined, b: undefined })
    })

    test('[S34] a removed id that comes back as a branch is another incarnation: its numbers are its parent’s', async () => {
      await startSession(on.store, a, 6)
      for (const incarnation of [1, 2, 3]) {
        expect(await on.store.log.open(b, at('a', 4 + incarnation - 1))).toMatchObject({ incarnation })
        await startSession(on.store, b, 1, {}, at('a', 4 + incarnation - 1))
        expect(await on.store.log.open(b)).toMatchObject({ exists: true, incarnation, parentIncarnation: 1 })
        expect(await listed(on.store)).toEqual({ a: undefined, b: incarnation > 1 ? incarnation : undefined })
        if (incarnation < 3) await on.store.log.remove(b)
      }
      await on.store.log.remove(b)
      const again = await on.store.restart()
      // Without a parent the session continues the numbers, in their incarnation.
      expect(await again.log.open(b)).toMatchObject({ exists: false, head: 7, incarnation: 3 })
    })

    test('[S34] after a loss every log has an incarnation that none has had, and so have new ones', async () => {
      await startSession(on.store, a, 6)
      await startSession(on.store, b, 1, {}, at('a', 5))
      await on.store.log.remove(b)
      await startSession(on.store, b, 1, {}, at('a', 6))
      await on.store.log.remove(b)
      await startSession(on.store, c, 2, {}, at('a', 3))
      const after = await on.store.loseCommits()
      expect(await after.log.open(a)).toMatchObject({ exists: true, head: 6, incarnation: 3 })
      expect(await after.log.open(c)).toMatchObject({ incarnation: 3, parentIncarnation: 3 })
      expect(await after.log.open(b)).toMatchObject({ exists: false, incarnation: 3 })
      expect(await after.log.open(key('new'))).toMatchObject({ exists: false, incarnation: 3 })
      expect(await after.log.open(b, at('c', 5)).catch(() => null)).toBeNull()
      const fresh = (await after.log.open(key('new')))!
      await after.log.append(fresh, { events: events(1, 2), row: row() })
      expect(await listed(after)).toEqual({ a: 3, c: 3, new: 3 })
      expect(await after.log.read(a, 0, 9)).toEqual(events(1, 6))
      const twice = await on.store.loseCommits()
      expect(await listed(twice)).toEqual({ a: 4, c: 4, new: 4 })
      expect(await (await on.store.restart()).log.open(a)).toMatchObject({ incarnation: 4 })
    })
  })
}
