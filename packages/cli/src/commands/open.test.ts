import { expect, test } from 'vitest'
import { browserProgram, cockpitUrl, hasDisplay } from './open.ts'

test.each<[string, { id: string; agent: string } | null, string]>([
  ['http://127.0.0.1:4317', null, 'http://127.0.0.1:4317/'],
  ['http://127.0.0.1:4317', { id: 'a/b', agent: 'x&y' }, 'http://127.0.0.1:4317/s/a%2Fb?agent=x%26y'],
  ['https://h.example/bridle/', { id: 's', agent: 'a' }, 'https://h.example/bridle/s/s?agent=a'],
])('[C159] the page below %s of %j', (server, session, url) => {
  expect(cockpitUrl(server, session)).toBe(url)
})

test.each<[NodeJS.Platform, NodeJS.ProcessEnv, boolean]>([
  ['linux', {}, false],
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['linux', { DISPLAY: ':0', SSH_CONNECTION: '1' }, false],
  ['darwin', {}, true],
  ['win32', { SSH_CONNECTION: '1' }, false],
])('[C159] on %s with %j a browser is started: %s', (platform, env, isShown) => {
  expect(hasDisplay(platform, env)).toBe(isShown)
})

test('[C159] each system has a program that opens an address', () => {
  const url = 'http://h/s/1?agent=a&b'
  expect(browserProgram('linux', url)).toEqual(['xdg-open', [url]])
  expect(browserProgram('darwin', url)).toEqual(['open', [url]])
  expect(browserProgram('win32', url)).toEqual(['cmd', ['/c', 'start', '""', 'http://h/s/1?agent=a^&b']])
})
