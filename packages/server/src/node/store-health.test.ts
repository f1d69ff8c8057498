import { StoreFault, type StoreFaultCode } from '@bridle/kernel/ports/store-fault'
import { expect, test } from 'vitest'
import { watchStoreHealth } from './store-health.ts'

test('[O28] [O29] [O30] `/ready` says what is wrong, and the log says it once', () => {
  let code: StoreFaultCode | null = null
  const lines: string[] = []
  const writeFault = () => (code === null ? null : new StoreFault(code, 'a cause with a path'))
  const ready = watchStoreHealth({ writeFault }, '/data', (level, message) => lines.push(`${level}: ${message}`))
  const sentences = [null, 'unsynced', 'unsynced', null, 'full', 'full', 'gone', 'fenced', 'corrupt'].map((next) => {
    code = next as StoreFaultCode | null
    return ready()
  })
  expect(sentences).toEqual([
    null,
    ...Array(2).fill(expect.stringContaining('until it does')),
    null,
    ...Array(2).fill(expect.stringContaining('disk is full')),
    expect.stringContaining('removed or replaced'),
    expect.stringContaining('Another process'),
    expect.stringContaining('the log says why'),
  ])
  expect(JSON.stringify(sentences)).not.toContain('path')
  expect(lines).toEqual([
    'error: disk does not confirm writes',
    'info: data is written again',
    'error: disk full',
    'error: data folder gone',
    'error: data folder taken over',
    'error: database unusable',
  ])
})
