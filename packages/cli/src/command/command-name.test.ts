import { expect, test } from 'vitest'
import { commandName } from './command-name.ts'

test.each<[string, NodeJS.ProcessEnv, string]>([
  ['npm run -s bridle --', { npm_lifecycle_event: 'bridle' }, '/home/me/checkout/scripts/bridle.ts'],
  ['npm run -s bridle --', { npm_lifecycle_event: 'start' }, '/home/me/checkout/packages/cli/src/main.ts'],
  ['npm run -s bridle --', { npm_lifecycle_event: 'example:triage' }, '/home/me/checkout/packages/cli/src/main.ts'],
  ['npx bridle', { npm_lifecycle_event: 'start' }, '/home/me/project/node_modules/.bin/bridle'],
  ['bridle', { npm_lifecycle_event: 'test' }, '/home/me/checkout/packages/cli/src/main.ts'],
  ['npx bridle', { npm_lifecycle_event: 'npx' }, '/home/me/project/node_modules/.bin/bridle'],
  ['npx bridle', { npm_lifecycle_event: 'dev' }, '/home/me/project/node_modules/.bin/fh'],
  ['npx bridle', {}, 'C:\\project\\node_modules\\.bin\\bridle'],
  ['bridle', {}, '/home/me/project/node_modules/.bin/vitest'],
  ['bridle', {}, '/usr/local/bin/bridle'],
  ['bridle', { npm_lifecycle_event: 'bridle' }, '/usr/local/bin/bridle'],
])('[C127] %s, with %j from %s', (expected, env, program) => expect(commandName(env, program)).toBe(expected))
