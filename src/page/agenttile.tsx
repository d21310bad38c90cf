import type { VNode } from 'preact'
import { agentHue, agentLetter, agentName } from './words.ts'

/** The tile of an agent. */
export const AgentTile = ({ format }: { readonly format: string }): VNode => (
  <span class={`agent c${agentHue(format)}`} title={agentName(format)} aria-hidden="true">
    {agentLetter(format)}
  </span>
)
