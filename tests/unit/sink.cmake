ovni_test(unit_sink sink_prv_text.cpp sink_prv_sink.cpp sink_pcf_row.cpp sink_cfg.cpp LIBS ovni_sink)
