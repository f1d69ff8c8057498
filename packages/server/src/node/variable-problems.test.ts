import { expect, test } from 'vitest'
import { checkVariables } from './variable-problems.ts'

const problem = (env: NodeJS.ProcessEnv): string | null => {
  try {
    checkVariables(env)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

test.each([
  [{ FABRIC_HARNESS_TENANT_REQUIRED: 'yes' }, 'FABRIC_HARNESS_TENANT_REQUIRED is "yes"; it may be 1 or 0.'],
  [{ BRIDLE_VOICE_INSTRUCTIONS: 'off' }, 'BRIDLE_VOICE_INSTRUCTIONS is "off"; it may be 1 or 0.'],
  [{ BRIDLE_RUNNER_URL: 'foo' }, 'BRIDLE_RUNNER_URL is no address; it begins with http:// or https://.'],
  [{ OPENAI_BASE_URL: 'localhost:9' }, 'OPENAI_BASE_URL is no address; it begins with http:// or https://.'],
  [{ FABRIC_HARNESS_TENANT_REQUIRED: '1', BRIDLE_VOICE_INSTRUCTIONS: '0', ANTHROPIC_BASE_URL: '' }, null],
  [{ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', BRIDLE_RUNNER_URL: 'https://runner.example' }, null],
])('[O136] %o', (env, expected) => {
  expect(problem(env)).toBe(expected)
})
