import { type KnownRecords, words } from '../core/known.ts'

/** The types and fields of content. */
const PART_TYPES = words(`
  input_text output_text reasoning_text summary_text text refusal input_image input_audio input_file encrypted_content
  tool_use
`)

/** The types and fields of Codex: those that are read, and those that are kept without being read. */
export const KNOWN: KnownRecords = {
  written: '0.160.0',
  types: {
    type: words(`
      session_meta response_item event_msg turn_context compacted world_state token_usage_record security_risk_score
      realtime_item inter_agent_communication inter_agent_communication_metadata
      message reasoning function_call function_call_output function_result tool_call tool_result custom_tool_call
      custom_tool_call_output local_shell_call local_shell_call_output web_search_call image_generation_call
      tool_search_call tool_search_output compaction
    `),
    'payload.type': words(`
      message agent_message reasoning function_call function_call_output function_result tool_call tool_result
      custom_tool_call custom_tool_call_output local_shell_call local_shell_call_output web_search_call
      image_generation_call tool_search_call tool_search_output additional_tools compaction compaction_summary
      compaction_trigger context_compaction ghost_snapshot
      error warning guardian_warning stream_error user_message agent_reasoning agent_reasoning_raw_content
      agent_reasoning_section_break token_count task_started task_complete turn_started turn_complete turn_aborted
      turn_diff turn_moderation_metadata plan_update session_configured context_compacted thread_rolled_back
      thread_name_updated thread_goal_updated thread_settings_applied model_reroute model_verification
      exec_command_begin exec_command_end exec_command_output_delta exec_approval_request terminal_interaction
      patch_apply_begin patch_apply_updated patch_apply_end apply_patch_approval_request
      mcp_tool_call_begin mcp_tool_call_end mcp_startup_update mcp_startup_complete web_search_begin web_search_end
      image_generation_begin image_generation_end view_image_tool_call dynamic_tool_call_request
      dynamic_tool_call_response elicitation_request request_permissions request_user_input
      collab_agent_spawn_begin collab_agent_spawn_end collab_agent_interaction_begin collab_agent_interaction_end
      collab_waiting_begin collab_waiting_end collab_close_begin collab_close_end collab_resume_begin collab_resume_end
      sub_agent_activity guardian_assessment hook_started hook_completed background_event deprecation_notice
      undo_started undo_completed entered_review_mode exited_review_mode shutdown_complete skills_update_available
      realtime_conversation_started realtime_conversation_realtime realtime_conversation_closed realtime_conversation_sdp
      raw_response_item item_started item_completed hook_prompt
    `),
    'payload.content.type': PART_TYPES,
    'payload.item.type': words(`
      UserMessage AgentMessage HookPrompt Plan Reasoning WebSearch ImageGeneration ImageView ContextCompaction
      CommandExecution FileChange McpToolCall DynamicToolCall CollabAgentToolCall SubAgentActivity
      EnteredReviewMode ExitedReviewMode Extension Sleep
    `),
    'payload.replacement_history.type': words(`
      message agent_message reasoning function_call function_call_output custom_tool_call custom_tool_call_output
      local_shell_call local_shell_call_output web_search_call image_generation_call tool_search_call tool_search_output
      additional_tools compaction compaction_summary context_compaction ghost_snapshot
    `),
    'payload.replacement_history.content.type': PART_TYPES,
  },
  fields: {
    '': words(`
      timestamp created_at ordinal type payload record_type id instructions git
      role name message content model function arguments result summary encrypted_content call_id status action output
      input duration_ms
    `),
    payload: words(`
      type id session_id thread_id threadId turn_id turnId item_id call_id callId event_id client_id process_id plugin_id
      link_id connector_id target_item_id window_id first_window_id previous_window_id window_number agent_thread_id
      timestamp created_at started_at completed_at started_at_ms completed_at_ms occurred_at_ms deadline_ms duration
      duration_ms time_to_first_token_ms
      cwd originator cli_version source thread_source agent_nickname agent_role agent_path model_provider
      model_provider_id base_instructions user_instructions developer_instructions instructions dynamic_tools memory_mode
      history_mode history_base forked_from_id forked_from_ordinal_exclusive parent_thread_id
      subagent_history_start_ordinal creator_user_id creator_account_id runtime_workspace_roots selected_capability_roots
      multi_agent_version multi_agent_mode context_window git
      model effort reasoning_effort summary personality collaboration_mode collaboration_mode_kind comp_hash
      approval_policy approvals_reviewer sandbox_policy file_system_sandbox_policy permission_profile
      active_permission_profile network truncation_policy current_date timezone workspace_roots realtime_active
      final_output_json_schema trace_id service_tier windows_sandbox_level
      role phase author recipient content message text text_elements images local_images audio local_audio
      encrypted_content name namespace function arguments input action execution status output result tools success error
      revised_prompt saved_path metadata internal_chat_message_metadata_passthrough ghost_commit kind
      replacement_history
      info rate_limits model_context_window last_agent_message num_turns reason state full statuses
      thread_name thread_settings goal usage
      command parsed_cmd stdout stderr aggregated_output formatted_output exit_code changes patch invocation query results
      path target review_output user_facing_hint codex_error_info additional_details details
      tool app_name action_name read_only_hint content_items mcp_app_resource_uri
      sender_thread_id receiver_thread_id receiver_agent_nickname receiver_agent_role new_thread_id new_agent_nickname
      new_agent_role agent_statuses prompt
      risk_level user_authorization rationale decision_source item trigger_turn memory_citation explanation plan
      begin_ordinal end_ordinal response_id interaction_id
    `),
    'payload.content': words(`
      type text refusal image_url detail encrypted_content name input content id filename file_data file_id file_url
      input_audio audio_url annotations logprobs text_elements
    `),
    'payload.info': words('total_token_usage last_token_usage model_context_window'),
    'payload.info.total_token_usage': words(`
      input_tokens cached_input_tokens cache_write_input_tokens output_tokens reasoning_output_tokens total_tokens
    `),
    'payload.git': words('commit_hash branch repository_url'),
    'payload.history_base': words('thread_id end_ordinal_exclusive end_byte_offset'),
    'payload.item': words(`
      type id client_id text phase kind content action query results summary_text raw_content process_id command cwd
      parsed_cmd source status stdout stderr aggregated_output exit_code duration formatted_output server tool arguments
      readOnlyHint result error memory_citation changes path prompt saved_path revised_prompt success duration_ms
      namespace content_items auto_approved mcp_app_resource_uri plugin_id review sender_thread_id receiver_thread_ids
      agents_states model reasoning_effort fragments agent_thread_id agent_path
    `),
    'payload.replacement_history': words(`
      type id role phase author recipient content summary encrypted_content call_id name namespace arguments input action
      execution status output result tools success error revised_prompt metadata
      internal_chat_message_metadata_passthrough ghost_commit
    `),
  },
}

/** The records of the documents of April 2025, whose items are lines without an envelope. */
export const KNOWN_DOCUMENT: KnownRecords = {
  written: '2025-04',
  types: { type: KNOWN.types?.type ?? [] },
  fields: { '': KNOWN.fields?.[''] ?? [] },
  document: {
    fields: { '': words('session items'), session: words('id timestamp instructions') },
  },
}
