import { useCallback, useEffect, useRef, useState } from 'react'
import { randomText } from '../../server/random-text.ts'
import { useServer } from '../../server/server-context.tsx'
import type { JsonValue } from '../schema-form/form-field.ts'
import { emptyAnswer, foldAnswer, isOver, type RunAnswer } from './run-answer.ts'

export interface TryRun {
  readonly sessionId: string
  readonly answer: RunAnswer
}

/** Runs the agent in a session of its own, and follows the answer until the run ends or the page is left. The run goes on. */
export const useTryRun = (agent: string) => {
  const { client } = useServer()
  const [run, setRun] = useState<TryRun | null>(null)
  const following = useRef<AbortController>(undefined)
  useEffect(() => () => following.current?.abort(), [])
  const start = useCallback(
    async (input: JsonValue): Promise<void> => {
      following.current?.abort()
      const controller = new AbortController()
      following.current = controller
      const sessionId = `try-${randomText()}`
      let answer = emptyAnswer
      const show = (next: RunAnswer): void => {
        answer = next
        if (!controller.signal.aborted) setRun({ sessionId, answer })
      }
      show(answer)
      try {
        await client.invoke(agent, sessionId, input as Parameters<typeof client.invoke>[2], { async: true })
        for await (const event of client.events(agent, sessionId, { signal: controller.signal })) {
          show(foldAnswer(answer, event))
          if (isOver(answer)) break
        }
      } catch (error) {
        show({ ...answer, phase: 'failed', error: (error as Error).message })
      }
    },
    [agent, client],
  )
  return { run, start }
}
