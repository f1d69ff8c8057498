import { expect, test } from 'vitest'
import { type LoginSurroundings, personalLoginProblem } from './personal-login.ts'

const alone: LoginSurroundings = { hostname: '127.0.0.1', isProxied: false }

test.each<[string, LoginSurroundings, string | null]>([
  ['on loopback', alone, null],
  ['on loopback by name', { ...alone, hostname: 'localhost' }, null],
  ['on IPv6', { ...alone, hostname: '::1' }, null],
  ['on every address', { ...alone, hostname: '0.0.0.0' }, 'it listens on 0.0.0.0'],
  ['on an address of a network', { ...alone, hostname: '192.168.1.5' }, 'it listens on 192.168.1.5'],
  ['behind a proxy', { ...alone, isProxied: true }, 'a proxy stands in front of it'],
  ['with tokens of others', { ...alone, tokens: [{ token: 't', user: 'ben' }] }, 'it has callers of its own'],
  ['with tenants', { ...alone, tenantRequired: true }, 'it has callers of its own'],
  ['with a check of its own', { ...alone, extractAuthToken: () => true }, 'it has callers of its own'],
  ['with the login of an app', { ...alone, authenticate: () => ({ user: 'ada' }) }, 'it has callers of its own'],
])('[O72] %s', (_name, server, reason) => {
  expect(personalLoginProblem(server)).toBe(
    reason === null ? null : `This server does not use a personal login, since others reach it: ${reason}.`,
  )
})
