/** The permission mode of an imported session. Of a file only `plan` holds; the agent decides the rest. */
export const modeWords = (mode: unknown): string => (mode === 'plan' ? 'Plan only' : 'As the agent asks')
