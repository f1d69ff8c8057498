// Claude Code reads its prompts from a stream that stays open between turns.

export interface SdkUserMessage {
  readonly type: 'user'
  readonly message: { readonly role: 'user'; readonly content: string }
  readonly parent_tool_use_id: null
}

export class PromptQueue implements AsyncIterable<SdkUserMessage> {
  readonly #waiting: SdkUserMessage[] = []
  #wake = () => {}
  #ended = false

  push(message: SdkUserMessage): void {
    this.#waiting.push(message)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SdkUserMessage> {
    for (;;) {
      const next = this.#waiting.shift()
      if (next) yield next
      else if (this.#ended) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
