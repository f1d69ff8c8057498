// A page that cannot be drawn, or whose code is gone after an update of the server, says so, and the frame around it stays.
import { Component, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Screen } from '../ui/screen.tsx'

interface PageFaultProps {
  /** The address: another page is tried anew. */
  readonly path: string
  readonly children: ReactNode
}

interface PageFaultState {
  readonly path: string
  readonly error: Error | null
}

/** React has no hook for this. */
export class PageFault extends Component<PageFaultProps, PageFaultState> {
  override state: PageFaultState = { path: this.props.path, error: null }

  static getDerivedStateFromError(error: unknown): Partial<PageFaultState> {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps({ path }: PageFaultProps, state: PageFaultState): PageFaultState | null {
    return path === state.path ? null : { path, error: null }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <Screen icon="triangle-alert" title="This page cannot be shown">
        <p>{visibleText(error.message)}</p>
        <div>
          <Button onClick={() => location.reload()}>Load it again</Button>
        </div>
      </Screen>
    )
  }
}
