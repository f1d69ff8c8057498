// An opened call: a command as a command with its output, a change as a diff, a file as a file, and everything as JSON on request.
import type { HarnessToolCall } from 'bridle/client'
import { useMemo, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Code, jsonText } from '../../../ui/code.tsx'
import { LineDiff } from '../../../ui/diff/line-diff.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { toolOutput } from './tool-output.ts'
import { type ToolArguments, type ToolShape, toolShape } from './tool-shape.ts'

export const ToolBody = ({ call, reason }: { readonly call: HarnessToolCall; readonly reason: string | null }) => {
  const [isJson, setJson] = useState(false)
  const args: ToolArguments = call.arguments ?? {}
  const shape = useMemo(() => toolShape(args), [args])
  const output = useMemo(() => toolOutput(call.result), [call.result])
  const problem = call.error ?? reason
  // Arguments that no shape shows, and results that are no text, have no other form than JSON.
  const isPlain = shape.kind === 'plain'
  const isOutputJson = output.text === '' && output.json !== undefined
  return (
    <div className="tool-body">
      <ShapeBody shape={shape} />
      {(isPlain || isJson) && Object.keys(args).length > 0 && <Code label="Arguments" text={jsonText(args)} />}
      {problem && <p className="small danger tool-problem">{visibleText(problem)}</p>}
      {output.text !== '' && (
        <Code label={output.exitCode === null ? 'Output' : `Output, exit code ${output.exitCode}`} text={output.text} />
      )}
      {(isOutputJson || (isJson && output.json !== undefined)) && <Code label="Result" text={jsonText(output.json)} />}
      {(!isPlain || (output.text !== '' && output.json !== undefined)) && (
        <Button look="ghost" onClick={() => setJson(!isJson)}>
          {isJson ? 'Hide JSON' : 'Show JSON'}
        </Button>
      )}
    </div>
  )
}

const ShapeBody = ({ shape }: { readonly shape: ToolShape }) => {
  switch (shape.kind) {
    case 'command':
      return (
        <Code
          label={shape.folder === null ? 'Command' : `Command in ${visibleText(shape.folder)}`}
          text={`$ ${shape.command}`}
        />
      )
    case 'edit':
      return <LineDiff before={shape.before} after={shape.after} label={visibleText(shape.path ?? 'Text')} />
    case 'file':
      return <Code label={visibleText(shape.path)} text={shape.content} />
    case 'plain':
      return null
  }
}
