// The words of a runner that refuses a request.
import type { RunnerResponse } from './runner-client.ts'

export const runnerRefusalText = (status: number, { error }: RunnerResponse['body']): string =>
  error?.message ?? `The runner answered ${status}.`
