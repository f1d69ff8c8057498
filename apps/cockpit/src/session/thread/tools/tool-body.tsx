// An opened call: a command as a command with its output, a change as a diff, a file as a file, and everything as JSON on request.
import type { HarnessToolCall } from 'bridle/client'
import { useMemo, useState } from 'react'
import { type ArgumentPart, argumentParts, folderOf, type ToolArguments } from '../../../ui/arguments/argument-parts.ts'
import { Button } from '../../../ui/button.tsx'
import { Code, jsonText } from '../../../ui/code.tsx'
import { LineDiff } from '../../../ui/diff/line-diff.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { toolOutput } from './tool-output.ts'

export const ToolBody = ({ call, reason }: { readonly call: HarnessToolCall; readonly reason: string | null }) => {
  const [isJson, setJson] = useState(false)
  const args: ToolArguments = call.arguments ?? {}
  const parts = useMemo(() => argumentParts(args), [args])
  const output = useMemo(() => toolOutput(call.result), [call.result])
  const exitCode = call.toolOutcome?.exit_code ?? output.exitCode
  const problem = call.error ?? reason
  const shown = parts.filter(isReadable)
  // Arguments that have no other form, and results that are no text, are shown as JSON at once.
  const isPlain = shown.length === 0
  const isOutputJson = output.text === '' && output.json !== undefined
  return (
    <div className="tool-body">
      {shown.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two edits of one file may be alike, and their order never changes
        <PartBody key={at} part={part} folder={folderOf(parts)} />
      ))}
      {(isPlain || isJson) && Object.keys(args).length > 0 && <Code label="Arguments" text={jsonText(args)} />}
      {problem && <p className="small danger tool-problem">{visibleText(problem)}</p>}
      {output.text !== '' && (
        <Code label={exitCode === null ? 'Output' : `Output, exit code ${exitCode}`} text={output.text} />
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

/** Parts that read better than JSON: a text of one line does not. */
const isReadable = (part: ArgumentPart): boolean =>
  part.type === 'text' ? part.text.includes('\n') : part.type !== 'json'

const PartBody = ({ part, folder }: { readonly part: ArgumentPart; readonly folder: string | null }) => {
  switch (part.type) {
    case 'command':
      return <Code label={folder === null ? 'Command' : `Command in ${visibleText(folder)}`} text={`$ ${part.text}`} />
    case 'edit':
      return <LineDiff before={part.before} after={part.after} label={visibleText(part.path ?? 'Text')} />
    case 'file':
      return <Code label={visibleText(part.path)} text={part.content} />
    case 'text':
      return <Code label={visibleText(part.key)} text={part.text} />
    case 'json':
      return null
  }
}
