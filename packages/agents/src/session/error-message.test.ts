import { expect, test } from 'vitest'
import { shortErrorMessage } from './error-message.ts'

const fault = (code: string, more: object = {}) =>
  Object.assign(new Error('operation not permitted'), { code, ...more })
const WORKER = 'Cloudflare-Workers'

test.each([
  ['a write on a Worker', fault('EPERM', { syscall: 'open' }), WORKER, true],
  ['the same on Node', fault('EPERM', { syscall: 'open' }), 'Node.js/26', false],
  ['the same where the runtime has no name', fault('EPERM', { syscall: 'open' }), undefined, false],
  ['a file that is not there', fault('ENOENT', { syscall: 'open' }), WORKER, false],
  ['an error of an agent with the same code', fault('EPERM'), WORKER, false],
  ['no error', { code: 'EPERM', syscall: 'open' }, WORKER, false],
])('[CF30] %s', (_name, error, platform, isExplained) =>
  expect(shortErrorMessage(error, platform).includes('A Worker has no disk.')).toBe(isExplained),
)

test('[CF30] the message of the runtime stays', () => {
  expect(shortErrorMessage(fault('EPERM', { syscall: 'open' }), WORKER)).toBe(
    'operation not permitted (A Worker has no disk. Keep results in the session, or call a service.)',
  )
})
