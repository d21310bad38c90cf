import { type KnownRecords, words } from '../core/known.ts'

/** The types and fields of Claude Code: those that are read, and those that are kept without being read. */
export const KNOWN: KnownRecords = {
  written: '2.1.278',
  types: {
    type: words(`
      user assistant system attachment progress summary result started
      agent-color agent-name agent-setting ai-title custom-title last-prompt mode permission-mode memory-mode tag
      file-history-delta file-history-snapshot attribution-snapshot content-replacement
      pr-link frame-link queue-operation relocated worktree-state continued-in ended-by-model
      fork-context-ref derived-from bridge-session observer-ref
      cost-state tools-used history-suppression hybrid-organization
      atis-latch isolation-latch dev-mods data-flow-incomplete data-flow-records
      api-request api-request-blob api-request-shape artifact-autoreact-ledger artifact-comment-monitor
      marble-origami-commit marble-origami-snapshot
    `),
    subtype: words(`
      compact_boundary microcompact_boundary init local_command informational error api_error api_metrics api_refusal
      turn_duration stop_hook_summary session_start model_refusal_fallback away_summary bridge_status
      agents_killed memory_saved permission_retry scheduled_task_fire task_notification thinking
    `),
    'attachment.type': words(`
      agent_listing_delta agent_mention async_hook_response auto_mode auto_mode_exit batching_reminder_sent budget_usd
      bash_exit_reminder command_permissions compact_file_reference compaction_reminder context_efficiency
      critical_system_reminder date_change deferred_tools_delta diagnostics directory dynamic_skill edited_image_file
      edited_text_file file fork_briefing hook_additional_context hook_blocking_error hook_cancelled
      hook_error_during_execution hook_non_blocking_error hook_permission_decision hook_stopped_continuation
      hook_success hook_system_message image invoked_skills mcp_instructions_delta mcp_resource nested_memory
      opened_file_in_ide output_style output_token_usage pdf_reference plan_file_reference plan_mode plan_mode_exit
      plan_mode_reentry queued_command read_truncation_notice relevant_memories selected_lines_in_ide
      silent_turn_reminder skill_discovery skill_listing structured_output task_reminder task_status
      teammate_mailbox team_context todo todo_reminder token_usage total_tokens_reminder ultra_effort_enter
      ultra_effort_exit ultrathink_effort verify_plan_reminder
    `),
    'data.type': words(`
      agent_progress bash_progress hook_progress mcp_progress powershell_progress query_update search_results_received
      skill_progress task_progress waiting_for_task web_search_progress
    `),
    'message.content.type': words(`
      text thinking redacted_thinking image document tool_use tool_result server_tool_use web_search_tool_result
      web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result
      text_editor_code_execution_tool_result tool_search_tool_result mcp_tool_use mcp_tool_result container_upload
      search_result tool_reference fallback compaction connector_text advisor_tool_result
    `),
  },
  fields: {
    '': words(`
      type uuid parentUuid logicalParentUuid sessionId session_id timestamp cwd gitBranch version userType entrypoint
      slug isSidechain agentId agentName agentColor agentSetting teamName requestId message attachment data
      subtype content level isMeta isCompactSummary isVisibleInTranscriptOnly isApiErrorMessage apiErrorStatus
      apiError apiRefusalCategory apiRefusalExplanation error errorDetails cause maxRetries retryAttempt retryInMs
      toolUseResult toolUseID toolUseId parentToolUseID sourceToolUseID sourceToolAssistantUUID toolDenialKind
      toolEndsTurn mcpMeta permissionMode promptId promptSource origin imagePasteIds thinkingMetadata todos planContent
      effort attributionAgent attributionMcpServer attributionMcpTool attributionPlugin attributionSkill
      durationMs messageCount hookCount hookInfos hookErrors hookAdditionalContext hasOutput preventedContinuation
      stopReason trigger direction source originalModel fallbackModel refusedUserMessageUuid supersedesUuids
      retractedMessageUuids interruptedMessageId interruptedByShutdown isAbortedMidStream pendingBackgroundAgentCount
      classifierMetaLines compactMetadata microcompactMetadata
      snapshot isSnapshotUpdate messageId summary leafUuid customTitle aiTitle lastPrompt mode tag operation reason
      prNumber prUrl prRepository frameUrl path title artifactCount relocatedCwd worktreeSession
      forkedFrom parentSessionId parentLastUuid contextLength continuedInSessionId sessionKind replacements side
      totalCostUSD totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration totalDuration startTime
      totalLinesAdded totalLinesRemoved modelUsage hasUnknownModelCost
      bridgeSessionId lastSequenceNum sessionGroupingId noHistoryBackfill ownerAccountUuid ownerOrganizationUuid
      declaredDialogKinds atis turnCompanion workspace scope key result agent
    `),
    message: words(`
      role content id type model stop_reason stop_sequence stop_details usage container context_management diagnostics
    `),
    'message.content': words(`
      type text thinking signature data id name input caller tool_use_id content is_error source title context citations
      server_name tool_name from to file_id cache_control
    `),
    'message.usage': words(`
      input_tokens output_tokens output_tokens_details cache_creation_input_tokens cache_read_input_tokens cache_creation
      server_tool_use service_tier inference_geo speed iterations
    `),
  },
}
