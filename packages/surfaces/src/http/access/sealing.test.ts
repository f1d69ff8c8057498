// Sealed values and derived tokens, without the runtime.
import { expect, test } from 'vitest'
import { deriveToken, type KeyPurpose, seal, unseal } from './sealing.ts'

const purposes: readonly KeyPurpose[] = ['run', 'sandbox', 'ticket', 'credential']
const value = { tenant: 'acme', user: 'ann', list: [1, 2, 3] }

test('[CF21] a sealed value opens with its own secret and purpose, and with no other', async () => {
  for (const secret of ['one', 'two', 'three'])
    for (const purpose of purposes) {
      const sealed = await seal(secret, purpose, value)
      for (const other of ['one', 'two', 'three'])
        for (const wanted of purposes)
          expect(await unseal(other, wanted, sealed)).toEqual(other === secret && wanted === purpose ? value : null)
    }
})

test('[CF21] a sealed value can be neither read nor changed', async () => {
  const sealed = await seal('one', 'ticket', value)
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toMatch(/acme|"ann"|tenant/)
  for (let at = 0; at < sealed.length; at++) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
    expect([at, await unseal('one', 'ticket', changed)]).toEqual([at, null])
  }
  for (const text of ['', '.', 'é', sealed.slice(1), sealed.slice(0, -4), `${sealed}AAAA`, ` ${sealed}`, `${sealed}\n`])
    expect(await unseal('one', 'ticket', text)).toBeNull()
})

test('[CF22] the same value is the same text, so that a run which is granted its token again keeps it', async () => {
  expect(await seal('one', 'credential', value)).toBe(await seal('one', 'credential', value))
  const texts = await Promise.all([1, 2, 3].map((runId) => seal('one', 'credential', { ...value, runId })))
  expect(new Set(texts.map((text) => text.slice(0, 16))).size).toBe(3)
})

test('[CF22] a derived token differs by secret, purpose and names', async () => {
  const tokens = await Promise.all(
    ['one', 'two', 'three'].flatMap((secret) =>
      purposes.flatMap((purpose) => [
        deriveToken(secret, purpose, 'a', 'b'),
        deriveToken(secret, purpose, 'ab'),
        deriveToken(secret, purpose, 'a', 'b', 1),
      ]),
    ),
  )
  expect(new Set(tokens).size).toBe(36)
  expect(await deriveToken('one', 'run', 'a', 'b')).toBe(tokens[0])
})
