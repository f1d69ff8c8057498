// The button that stops a run says beforehand what becomes of the prompts that wait.
export interface StopWords {
  /** The rest of the label after "Stop"; empty where nothing waits. */
  readonly more: string
  readonly title: string
}

export const stopWords = (kind: 'chat' | 'background', queued: number): StopWords => {
  // Background work ends with its run, and its queue with it; a chat goes on with its queue.
  if (kind === 'background')
    return queued === 0
      ? { more: '', title: 'Ends the run and the session. Everything so far stays.' }
      : {
          more: ` and take back ${queued} queued`,
          title: 'Ends the run and the session. Prompts in the queue come back into the composer.',
        }
  return queued === 0
    ? { more: '', title: 'Ends this run. Everything so far stays.' }
    : { more: ', then the next', title: 'Ends this run. The queue stays, and its first prompt starts.' }
}

/** A draft with the prompts that were taken back behind it. */
export const draftWith = (draft: string, prompts: readonly string[]): string =>
  [draft, ...prompts].filter((text) => text.trim() !== '').join('\n\n')
